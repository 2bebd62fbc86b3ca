"""Questions about the whole of something, in Spanish and English: summaries meet them better.

What is looked for is the form of a question, never its subject. A question that only names two things
("what is the difference between …") is a detail: a passage or two answer it.
"""

import re

_WHOLE = r"""(?:story|tale|book|novel|text|document|report|article|essay|paper|manual|handbook|guide
    |collection|corpus|archive|folder|project|mission|year|series|career|life|history|process|documents|reports|files|chapters
    |sections|years)"""
_TODO = r"""(?:historia|cuento|libro|novela|texto|obra|relato|documento|informe|art[ií]culo|manual|gu[ií]a
    |colecci[oó]n
    |archivo|carpeta|proyecto|misi[oó]n|a[nñ]o|serie|carrera|vida|proceso|documentos|informes|cap[ií]tulos|a[nñ]os)"""
_MAIN = r"(?:main|central|key|major|overall|recurring|common|dominant|underlying|general)"
_THEMES = r"""(?:themes?|topics?|ideas?|points|messages?|arguments?|motifs?|findings|conclusions?
    |lessons?|takeaways|concerns|differences|changes|risks|problems|causes|reasons|trends)"""
_TEMAS = r"""(?:temas?|ideas?|mensajes?|argumentos?|motivos|conclusi[oó]n|conclusiones|lecciones
    |preocupaciones|diferencias|cambios|riesgos|problemas|causas|razones|tendencias)"""
_WAYS: dict[str, str] = {
    "an overview": r"""
        \b(?:overview|outline|gist)\ of\b | \bsummary\ of\ (?:the|this|our|all|what)\b
      | ^(?:overview|summary|outline|resumen|panorama|visi[oó]n\ general|s[ií]ntesis)\b
      | ^(?:please,?\ |can\ you\ )?(?:summari[sz]e|sum\ up|recap)\b
      | ^(?:por\ favor,?\ |puedes\ |podr[ií]as\ )?(?:resum[ei]|resum[ií]r|res[uú]me|sintetiza)(?:me|nos)?\b
      | \b(?:un|el)\ resumen\ (?:de|del|general)\b | \ba\ grandes\ rasgos\b
      | \bvisi[oó]n\ (?:general|de\ conjunto)\b
      | \bin\ (?:broad|general)\ (?:terms|outline|strokes)\b | \b(?:big|overall)\ picture\b
      | \ben\ (?:conjunto|l[ií]neas\ generales|t[eé]rminos\ generales)\b""",
    "its themes": rf"""
        \b{_MAIN}\ {_THEMES}\b
      | \b{_TEMAS}\ (?:(?:principal|central)(?:es)?|clave|recurrentes?|comunes|generales|de\ fondo)\b
      | \bwhat\ (?:themes|topics|subjects)\b | \bqu[eé]\ (?:temas|asuntos)\b
      | \b(?:principal|principales|grandes)\ {_TEMAS}\b
      | \bwhat\ (?:is|are|was)\ (?:the|this|these|all)\ {_WHOLE}\ about\b
      | \bde\ qu[eé]\ (?:va|van|trata|tratan)\b
      | \b(?:cu[aá]l|qu[eé])\ es\ (?:el\ tema|la\ moraleja|la\ idea|el\ mensaje|la\ tesis)\b
      | \bwhat\ is\ the\ (?:theme|moral|thesis|gist)\b""",
    "the whole of it": rf"""
        \b(?:over|across|through|throughout|during|in)\ (?:the\ )?(?:whole|entire|course\ of)\b
      | \bthroughout\b
      | \b(?:over|across|through)\ (?:the|all\ the|all|our|these)\ {_WHOLE}\b
      | \ba\ lo\ largo\ del?\ (?:l[ao]s?\ |el\ |tod[oa]s?\ )*{_TODO}\b
      | \ben\ tod[oa]s?\ (?:el|la|los|las)\ {_TODO}\b | \bde\ principio\ a\ fin\b
      | \bfrom\ (?:the\ )?(?:beginning|start)\b.{{0,60}}?\bto\ (?:the\ )?end\b
      | \bdesde\ el\ (?:principio|comienzo|inicio)\b.{{0,60}}?\bhasta\ el\ final\b""",
    "several things": r"""
        \b(?:what|which|how\ many)\ (?:different\ |other\ )?
          (?:ways|kinds|types|sorts|options|approaches|aspects)\b
      | \bde\ qu[eé]\ (?:distintas\ |diferentes\ )?(?:maneras|formas|modos)\b
      | \bqu[eé]\ (?:distint[ao]s\ |diferentes\ )?(?:opciones|alternativas|tipos|clases|aspectos|v[ií]as)\b
      | \b(?:list|name|enumerate)\ (?:all|every)\b
      | \b(?:enumera|lista|nombra)\ tod[oa]s\b
      | \b(?:and|,)\ (?:what|how)\ (?:does|do|did|is|was)\ each\b | \beach\ of\ (?:them|these|the)\b
      | \b(?:y|,)\ (?:c[oó]mo|qu[eé])\ .{1,40}?\bcada\ (?:un[oa]|vez|parte|cual)\b""",
    "how it changes": r"""
        \bhow\ (?:does|do|did|has|have|is|are|was|were)\ (?!I\b|you\b|we\b|one\b|to\b).{1,90}?
          \b(?:change|changed|changing|evolve|evolved|evolving|shift|shifted|progress|progressed)\b
          (?!\ (?:of|to|the|a|an)\b)
      | \bc[oó]mo\ (?:ha\ |han\ )?(?:ido\ )?(?:cambia(?:n|ndo|do)?|cambió|cambiaron|evoluciona(?:n|ndo|do|r)?
          |evolucionó|evolucionaron|se\ transforma(?:n|ron)?)\b
      | \b(?:the|what)\ changes\ in\b | \bqu[eé]\ cambios\b
      | \bwhat\ (?:role|part)\ (?:does|do|did)\b.{1,80}?\bplay\b
      | \bqu[eé]\ (?:papel|rol)\ (?:desempe[nñ]an?|juegan?|tuvieron|cumplen?)\b
      | \bwhat\ kind\ of\ (?:person|leader|man|woman|character)\b""",
    "a comparison or a description": r"""
        ^(?:compare|contrast|describe|discuss|characteri[sz]e)\b
      | ^(?:compara|contrasta|describe|describa|comenta|caracteriza)\b
      | \bcontrapone[nr]?\b
      | \ben\ qu[eé]\ se\ (?:diferencia|distingue)n?\b.{1,60}?\bde\ (?:la|los|las)\ del?\b
      | \bqu[eé]\ (?:actitud|postura|imagen)\b | \bwhat\ (?:attitude|stance)\b""",
}
_PATTERNS = {
    way: re.compile(f"(?:{text})", re.IGNORECASE | re.VERBOSE) for way, text in _WAYS.items()
}


def asks_overview(text: str) -> str:
    """What of the whole a question asks for, and by which words; "" where it asks for a detail."""
    plain = " ".join(text.split()).lstrip("¿¡ ")
    for way, pattern in _PATTERNS.items():
        found = pattern.search(plain)
        if found:
            return f"it asks for {way}: {found[0].strip()!r}"
    return ""
