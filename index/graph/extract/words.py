"""Words that the rules go by, all folded, Spanish and English together: documents mix them."""

from index.lexical.folding import fold
from index.lexical.stopwords import STOP_WORDS


def _set(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())


_SINGULAR_S = ("ss", "us", "is", "ous")
STOP = STOP_WORDS["en"] | STOP_WORDS["es"]
# Inside a name, between two of its capitalised words
LINKS = _set("de del of la las los the van von der den da do dos das du bin ibn al el y &")
# What may stand with a capital before a name at the beginning of a sentence, or alone, and is none
STARTERS = STOP | _set(
    """yes no ok okay yet still however therefore moreover meanwhile perhaps maybe thus hence indeed
    instead although though since unless whether despite besides another others many much few several
    every each either neither one two three four five six seven eight nine ten first second third last
    next previous new old good great let lets make made see note please use used using given like well
    even ever never always often sometimes today yesterday tomorrow now soon later early whatever
    whenever wherever together across along among around behind beneath beside beyond inside near
    outside toward towards throughout within without finally suddenly slowly quickly usually generally
    typically currently recently particularly especially additionally furthermore consequently
    nevertheless nonetheless otherwise similarly specifically alternatively accordingly someone
    something everyone everything nobody nothing anyone anything people man woman men women hi hello
    thanks thank dear sincerely regards yours exactly absolutely certainly probably obviously clearly
    respecto tambien ademas asimismo embargo obstante ahora despues luego aqui alli alla hoy ayer
    manana siempre nunca jamas quizas quiza tal vez acaso entonces asi pues bien mal mejor peor mucho
    mucha muchos muchas poco poca pocos pocas varios varias algunos ambos ambas cualquiera primero
    primera segundo segunda tercero tercera ultimo ultima nuevo nueva gran grande dos tres cuatro cinco
    seis siete ocho nueve diez finalmente actualmente generalmente normalmente recientemente
    posteriormente anteriormente igualmente incluso excepto salvo mediante gracias hola estimado
    estimada saludos atentamente debido dado dada segun cuando donde como vease nota ver si no oh ah
    chapter section figure table part appendix page step example examples summary introduction
    overview conclusion conclusions contents index notes references abstract background results
    discussion methods question answer capitulo seccion figura tabla parte anexo apendice pagina paso
    ejemplo ejemplos resumen introduccion conclusion conclusiones indice notas referencias
    antecedentes resultados metodos pregunta respuesta articulo art cap fig pag
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december jan feb mar apr jun jul aug sep sept oct nov dec
    lunes martes miercoles jueves viernes sabado domingo enero febrero marzo abril mayo junio julio
    agosto septiembre setiembre octubre noviembre diciembre
    am pm bc ad ac dc true false none null todo fixme http https www com org net html pdf"""
)
ORGANIZATIONS = _set(
    """inc ltd llc corp corporation company co gmbh ag plc sa sl slu sas university universidad college
    institute instituto school escuela colegio academy academia ministry ministerio department
    departamento agency agencia bank banco association asociacion foundation fundacion society sociedad
    council consejo committee comite commission comision party partido union sindicato federation
    federacion club team equipo squad group grupo league liga army ejercito navy armada police policia
    hospital clinic clinica church iglesia court tribunal senate senado congress congreso parliament
    parlamento government gobierno orchestra orquesta band records studios studio press newspaper
    airlines railways laboratory laboratories laboratorio laboratorios bureau office oficina
    organization organizacion network consortium consorcio cooperative cooperativa firm board junta
    ayuntamiento diputacion generalitat"""
)
PLACES = _set(
    """city ciudad town village pueblo villa river rio lake lago sea mar ocean oceano mountain mountains
    mount monte montana sierra valley valle island islands isla islas desert desierto forest bosque
    park parque street st calle avenue avenida av road carretera square plaza bridge puente airport
    aeropuerto station estacion port puerto bay bahia gulf golfo cape cabo peninsula county condado
    state estado province provincia region district distrito
    country pais kingdom reino empire imperio base camp campo castle castillo palace palacio tower torre
    theatre theater teatro museum museo stadium estadio building edificio house casa hotel room
    sala hall center centre centro complex complejo facility site highway coast costa"""
)
EVENTS = _set(
    """war guerra battle batalla festival olympics olimpiadas cup copa championship campeonato conference
    conferencia congress summit cumbre revolution revolucion treaty tratado election elections
    elecciones crisis operation operacion mission mision ceremony ceremonia wedding boda concert
    concierto tournament torneo expedition expedicion"""
)
# The people of something
PEOPLE = _set(
    """team member agent operative crew staff unit personnel soldier officer trooper employee worker
    equipo miembro agente operativo tripulacion personal unidad soldado oficial empleado trabajador"""
)
# What somebody made or found, and is called after
WORKS = _set(
    """film movie album song novel book series show episode game soundtrack musical opera symphony prize
    award medal theorem law effect disease syndrome method algorithm equation theory principle act
    pelicula disco cancion novela libro serie programa episodio juego premio medalla teorema ley efecto
    enfermedad sindrome metodo algoritmo ecuacion teoria principio"""
)
SPEECH = _set(
    """said says asked asks replied replies answered answers thought thinks whispered murmured shouted
    nodded smiled laughed looked walked turned felt knew wrote told added sighed stared frowned grinned
    glanced paused continued interjected remarked observed agreed dijo dice pregunto pregunta respondio
    responde contesto penso piensa susurro murmuro grito sonrio rio miro camino sintio sabia escribio
    anadio suspiro nacio murio"""
)
# What may stand before a common noun, with the words of its language that end a phrase: "son" is a noun
# after "the", and a verb in Spanish
_ENGLISH = _set(
    "the his her my our your their its this that these those a an two three four another"
)
_SPANISH = _set(
    """el la los las su sus mi mis tu tus nuestro nuestra nuestros nuestras este esta estos estas ese esa
    aquel aquella un una dos tres cuatro al del otro otra"""
)
DETERMINERS = dict.fromkeys(
    _SPANISH, STARTERS - (STOP_WORDS["en"] - STOP_WORDS["es"])
) | dict.fromkeys(_ENGLISH, STARTERS - (STOP_WORDS["es"] - STOP_WORDS["en"]))
# Verbs that end a phrase, besides those that end in -ed
VERBS = _set(
    """threw said says went came gave took made got saw knew thought found told felt became left kept began
    brought wrote stood heard held ran sat met led lay fell rose drew broke chose drove flew grew hung
    rode sang shook spoke stole swam swore wore won built bought caught fought laughed lost meant paid
    put read rang sent shot shut slept sold sought spent stuck struck taught tore understood woke wept
    cut let set hit hurt cost seemed seem seems appears appear remains remain stands stand lies lie goes
    go comes come gives give takes take makes make gets get sees see knows know thinks think finds find
    tells tell feels feel becomes become leaves keeps keep begins begin brings bring writes hears hear
    holds hold runs run sits sit meets meet leads lead falls fall grows grow speaks speak wins win
    means mean pays pay sends send shows show needs need wants want uses allows allow provides provide
    returns return requires require contains contain includes include works creates create supports
    helps help follows follow changes depends exists exist happens happen starts start stops ends opens
    closes must might may shall ought used
    dijo fue vino dio hizo tomo vio supo puso dejo llego trajo cayo murio nacio tiene tienen hace hacen
    dice dicen va van viene vienen da dan puede pueden debe deben sabe saben pone ponen deja dejan llega
    llegan queda quedan parece parecen sigue siguen lleva llevan usa usan permite permiten contiene
    contienen incluye incluyen muestra muestran devuelve devuelven necesita necesitan requiere requieren
    funciona funcionan existe existen ocurre ocurren empieza empiezan termina terminan abre cierra"""
)


def singular(word: str) -> str:
    """A word without the ending of a plural."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(_SINGULAR_S):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word[:-1]
