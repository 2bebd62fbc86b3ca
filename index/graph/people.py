"""What tells people apart: given names, and callings that one person seldom has two of."""

from index.lexical.folding import fold


def _set(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())


# The usual ones of English and Spanish; those that are as often a word or a place are left out
GIVEN = _set(
    """aaron abigail adam adrian adriana alan alba albert alberto alejandra alejandro alex alexander
    alexandra alfonso alfredo alice alicia alison amanda amelia amy ana andrea andres andrew angela anna
    anne anthony antonio araceli arthur arturo barbara beatriz benjamin bernardo beth betty blanca bob
    brenda brian bruce bruno camila carl carla carlos carmen carol carolina caroline catalina catherine
    cecilia cesar charles charlotte chloe chris christian christina christine christopher claire clara
    claudia cristina daniel daniela david deborah diana diego dolores donald dorothy douglas eduardo
    edward elena elisa elizabeth ellen emilia emilio emily emma enrique eric ernesto esteban esther eva
    evelyn federico felipe fernanda fernando florence frances francisca francisco frank fred gabriel
    gabriela gary george gerald gerardo gloria gonzalo greg gregory guillermo gustavo hannah harold harry
    hector helen helena henry hernan hugo ignacio ines irene isabel isabella ivan jack jacob jaime james
    jane janet javier jennifer jeremy jesus jessica jim joan joaquin joe john jonathan jordi jorge jose
    joseph joshua juan juana julia julian julie julio karen karl kate katherine kathleen keith kevin larry
    laura lauren lawrence leonardo leonor leticia linda lisa lorena lorenzo louis louise lucas lucia lucy
    luis luisa luke manuel manuela marco marcos margaret margarita maria mariana marie mario marta martha
    martin mary mateo matthew mauricio max megan melissa mercedes michael michelle miguel mike monica
    nancy natalia nathan nicholas nicolas nora nuria olga oliver olivia oscar pablo pamela patricia
    patricio patrick paul paula pedro peter philip pilar rachel rafael ralph ramiro ramon raquel raul
    rebecca ricardo richard robert roberto rodrigo roger ronald rosa rosario ruben russell ruth ryan
    salvador sam samantha samuel sandra santiago sara sarah scott sebastian sergio sharon silvia simon
    sofia sonia sophia sophie stephanie stephen steve steven susan susana teresa theodore thomas tim
    timothy tom tomas valentina valeria vanessa veronica vicente victor victoria vincent virginia walter
    wendy william xavier yolanda zoe"""
)
# Callings, each with the name under which those that mean the same meet
_CALLINGS = """
dentist dentista odontologo odontologa = dentist
cardiologist cardiologo cardiologa = cardiologist
neurologist neurologo neurologa = neurologist
surgeon cirujano cirujana = surgeon
psychiatrist psiquiatra = psychiatrist
psychologist psicologo psicologa = psychologist
pediatrician paediatrician pediatra = pediatrician
oncologist oncologo oncologa = oncologist
radiologist radiologo radiologa = radiologist
dermatologist dermatologo dermatologa = dermatologist
gynecologist gynaecologist ginecologo ginecologa = gynecologist
nurse enfermero enfermera = nurse
veterinarian vet veterinario veterinaria = veterinarian
pharmacist farmaceutico farmaceutica = pharmacist
lawyer attorney barrister solicitor abogado abogada = lawyer
judge juez jueza magistrado magistrada = judge
notary notario notaria = notary
architect arquitecto arquitecta = architect
plumber fontanero fontanera plomero = plumber
electrician electricista = electrician
carpenter carpintero carpintera = carpenter
baker panadero panadera = baker
butcher carnicero carnicera = butcher
farmer agricultor agricultora granjero granjera = farmer
fisherman pescador pescadora = fisherman
painter pintor pintora = painter
sculptor escultor escultora = sculptor
novelist novelista = novelist
poet poeta poetisa = poet
journalist reporter periodista reportero reportera = journalist
photographer fotografo fotografa = photographer
actor actress actriz = actor
singer cantante = singer
musician musico musica = musician
composer compositor compositora = composer
pianist pianista = pianist
violinist violinista = violinist
guitarist guitarrista = guitarist
drummer baterista = drummer
dancer bailarin bailarina = dancer
footballer futbolista = footballer
cricketer = cricketer
golfer golfista = golfer
cyclist ciclista = cyclist
swimmer nadador nadadora = swimmer
boxer boxeador boxeadora = boxer
astronaut astronauta = astronaut
astronomer astronomo astronoma = astronomer
physicist fisico fisica = physicist
chemist quimico quimica = chemist
biologist biologo biologa = biologist
botanist botanico botanica = botanist
geologist geologo geologa = geologist
mathematician matematico matematica = mathematician
economist economista = economist
accountant contable contador contadora = accountant
historian historiador historiadora = historian
philosopher filosofo filosofa = philosopher
theologian teologo teologa = theologian
priest sacerdote cura = priest
bishop obispo = bishop
politician politico politica = politician
soldier soldado = soldier
pilot piloto = pilot
chef cook cocinero cocinera = chef
tailor sastre = tailor
hairdresser peluquero peluquera = hairdresser
banker banquero banquera = banker
librarian bibliotecario bibliotecaria = librarian
translator traductor traductora = translator
teacher maestro maestra = teacher
engineer ingeniero ingeniera = engineer
"""
CALLINGS = {
    word: name.strip()
    for line in _CALLINGS.strip().splitlines()
    for words, _, name in [line.partition("=")]
    for word in words.split()
}


def calling_of(description: str) -> str:
    """The calling that a description begins with ("dentist in Leeds", "local dentist"), "" for none."""
    for word in description.split()[:6]:
        folded = fold(word.strip(".,;:"))
        if folded in CALLINGS:
            return CALLINGS[folded]
    return ""
