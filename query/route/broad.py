"""Questions about the whole of something, in Spanish and English: summaries meet them better."""

import re

# Each branch is one way to ask for the whole. Written from how people ask, not from any test's questions:
# see tests/unit/test_broad_questions.py.
_WAYS: dict[str, str] = {
    "an overview": r"""
        (?:give|write|need|want)\b.{0,20}\b(?:overview|summary|outline|recap|gist)
      | ^(?:overview|summary|outline|recap|resumen|panorama|visi[oó]n\ general|s[ií]ntesis)\b
      | (?:overview|summary)\ of | (?:^|please\ |can\ you\ )summari[sz]e\b
      | (?:^|por\ favor,?\ |puedes\ |hazme\ un\ )(?:resume|resumir|res[uú]me(?:me|nos)?|resumen|sintetiza)\b
      | (?:un\ )?resumen\ (?:de|del|general) | visi[oó]n\ (?:general|de\ conjunto) | a\ grandes\ rasgos
      | in\ (?:broad|general)\ (?:terms|outline|strokes) | overall\ (?:picture|message|structure)
      | en\ (?:conjunto|l[ií]neas\ generales|t[eé]rminos\ generales)""",
    "its themes": r"""
        (?:main|central|key|major|overall|recurring|common|dominant|underlying)\ 
          (?:themes?|topics?|ideas?|points?|messages?|arguments?|motifs?|threads?|findings|conclusions
            |lessons?|takeaways|concerns?|differences|changes)
      | (?:temas?|ideas?|mensajes?|argumentos?|motivos?|hilos?|conclusiones|lecciones|moralejas?
          |preocupaciones|diferencias|cambios)\ (?:principal(?:es)?|centrales|central|clave|recurrentes?
          |generales|general|com[uú]n(?:es)?|de\ fondo|conductor)
      | (?:principales|grandes)\ (?:temas|ideas|mensajes|argumentos|conclusiones|lecciones|diferencias
          |cambios|riesgos|preocupaciones)
      | what\ (?:are|is|were|was)\ (?:all\ )?(?:the\ |this\ |these\ |those\ )?[\w\s]{0,40}?\babout\?*$
      | de\ qu[eé]\ (?:va|van|trata|tratan)\b
      | (?:cu[aá]l|qu[eé])\ es\ (?:el\ tema|la\ moraleja|la\ idea|el\ mensaje|la\ tesis)\b
      | what\ is\ the\ (?:theme|moral|thesis|message|story|gist)\b""",
    "all of something": r"""
        (?:over|across|throughout|during|along|in)\ (?:the\ )?(?:whole|entire|course\ of\ the|all\ the|all\ of\ the)\b
      | (?:across|throughout)\ (?:the|all|these|our|its|his|her|their)\b
      | a\ lo\ largo\ de(?:l)?\b | en\ (?:todo|toda|todos|todas)\ (?:el|la|los|las|su|sus|nuestr[oa]s?)\b
      | de\ principio\ a\ fin | from\ (?:the\ )?(?:beginning|start)\ to\ (?:the\ )?(?:end|finish)
      | (?:what|which)\ (?:are|were)\ (?:all\ )?the\ (?:different|various|several)\b
      | (?:cu[aá]les|qu[eé])\ (?:son|eran)\ (?:todos\ |todas\ )?(?:los|las)\ (?:distint[oa]s|diferentes|divers[oa]s|vari[oa]s)\b
      | (?:in\ )?(?:what|which|how\ many)\ (?:different\ )?ways\b
      | de\ (?:qu[eé]|cu[aá]ntas)\ (?:distintas\ |diferentes\ )?(?:maneras|formas|modos)\b
      | (?:list|name|enumerate)\ (?:all|every)\b | (?:enumera|lista|nombra)\ (?:todos|todas)\b
      | what\ (?:kinds?|sorts?|types?)\ of\b
      | qu[eé]\ (?:tipos?|clases?|g[eé]neros?)\ de\b""",
    "how something develops": r"""
        how\ (?:does|do|did|has|have|is|are|was|were)\b.{1,90}?\b
          (?:change|changed|changing|evolve|evolved|evolving|develop|developed|developing|grow|shift|shifted|progress|progressed|transform(?:ed)?)\b
      | c[oó]mo\ (?:ha\ |han\ |va\ |van\ |fue\ |fueron\ )?(?:ido\ )?(?:cambi|evolucion|se\ desarroll|se\ transform|progres|desarroll)\w+
      | (?:evolution|development|course|history|arc|trajectory)\ of\ (?:the|this|our|its|his|her|their)\b
      | (?:evoluci[oó]n|desarrollo|trayectoria|transcurso|historia)\ (?:de|del)\ (?:la|el|los|las|su|sus|este|esta)\b
      | what\ (?:role|part|place)\ (?:do|does|did|is|are|was|were|has|have)\b
      | qu[eé]\ (?:papel|rol|funci[oó]n|lugar|importancia)\ (?:desempe[nñ]a|juega|tiene|cumple|ocupa|hace|represent)\w*
      | what\ kind\ of\ (?:person|leader|man|woman|character|company|place|relationship)""",
    "a comparison": r"""
        \b(?:compare|contrast)\b | \bcomparison\ (?:of|between)\b
      | (?:differ|differs|difference|differences|similarities)\ (?:from|between|among)\b
      | \bcompara(?:r|ci[oó]n|ndo|d|me)?\b | \bcontrap(?:one|onen|oner|osici[oó]n)\b | \bcontrast(?:a|an|ar|e)\b
      | (?:en\ qu[eé]|c[oó]mo)\ se\ (?:diferencia|distingue|parece)n?\b
      | diferencias?\ (?:hay\ |existen?\ )?entre\b | semejanzas?\ entre\b
      | pros\ and\ cons | advantages\ and\ (?:dis|draw) | pros\ y\ contras | ventajas\ (?:y|e)\ (?:des|in)""",
    "a description of the whole": r"""
        ^(?:describe|explain|discuss|characteri[sz]e|outline|analy[sz]e)\b.{0,40}\b(?:whole|overall|general|relationship|role|structure|approach|attitude|character|atmosphere|philosophy|strategy|architecture)
      | ^(?:describe|explica|comenta|caracteriza|analiza)\b.{0,40}\b(?:conjunto|general|relaci[oó]n|papel|estructura|enfoque|actitud|car[aá]cter|ambiente|filosof[ií]a|estrategia|arquitectura)
      | qu[eé]\ (?:actitud|postura|imagen|visi[oó]n|enfoque|estrategia)\b
      | what\ (?:attitude|stance|approach|image|view|strategy|philosophy)\b""",
}
_PATTERNS = {
    way: re.compile(f"(?:{text})", re.IGNORECASE | re.VERBOSE) for way, text in _WAYS.items()
}


def asks_overview(text: str) -> str:
    """What of the whole a question asks for, and by which words; "" where it asks for a detail."""
    plain = " ".join(text.split()).strip("¿¡ ")
    for way, pattern in _PATTERNS.items():
        found = pattern.search(plain)
        if found:
            return f"it asks for {way}: {found[0].strip()!r}"
    return ""
