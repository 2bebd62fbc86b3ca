"""What orders to a model look like, in Spanish and English; read on folded text.

Folded: lower case, without accents, look-alikes and hidden signs. A rule is narrow enough that manuals,
encyclopaedias and software documentation pass (see ``tests/integration/test_planted.py`` for what it has to
find); "you are now ready" and "this can act as a proxy" are no orders.
"""

import re
from dataclasses import dataclass

_GAP = r"(?:\W+\w+){0,4}?\W+"  # a few words between
_START = r"(?:^|[.!?:;>*\"'»”\]]\s*|\n\s*)"  # where an order may begin
_MODEL = (
    r"(?:ai|a\.i\.|llms?|ai assistant|ai model|ai agent|language models?|chatbots?|chatgpt|"
    r"gpt(?:-?\d)?|"
    r"claude|gemini|copilot)"
)
_MODELO = (
    r"(?:ia|asistentes?(?: virtual| de ia)?|inteligencia artificial|modelos? de lenguaje|chatbots?|"
    r"chatgpt|gpt)"
)
_DO = (
    r"(?:answer|respond|reply|say|tell|write|output|print|send|ignore|execute|run|delete|"
    r"recommend|rate|"
    r"act|speak|always|never|do not|you (?:must|will|shall|are))"
)
_HAZ = (
    r"(?:contest[ae]|respond[ae]|di|diga|escrib[ae]|envi[ae]|mand[ae]|ignor[ae]|ejecut[ae]|"
    r"borr[ae]|"
    r"recomiend[ae]|act[u]?[ae]|eres|seras|debes|deberas|vas a|tienes que|habl[ae]|siempre|nunca)"
)


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of order."""

    name: str
    why: str
    patterns: tuple[re.Pattern[str], ...]


def _rule(name: str, why: str, *patterns: str) -> Rule:
    return Rule(name, why, tuple(re.compile(pattern, re.MULTILINE) for pattern in patterns))


RULES = (
    _rule(
        "override",
        "tells a model to drop its instructions",
        r"\b(?:ignore|disregard|forget|override|bypass|discard|stop following|(?:do not|"
        r"don'?t) (?:follow|obey))\b"
        rf"(?:{_GAP}|\W+)(?:previous|prior|above|earlier|preceding|foregoing|former|your|system|"
        rf"developer)"
        r"(?:\W+\w+){0,3}?\W+(?:instructions?|prompts?|directions|guidelines|directives|orders|"
        r"commands|rules|"
        r"messages|programming|training)\b",
        r"\b(?:ignore|disregard|forget)\W+(?:all|any|every)\W+(?:\w+\W+)?"
        r"(?:instructions?|prompts?|directives|guidelines)\b",
        r"\b(?:ignore|disregard|forget) (?:everything|all|anything)(?: that)? "
        r"(?:above|before|(?:was|were|came|you|i) \w+|said)",
        r"\b(?:ignor(?:a|e|ad|en|es)|olvid(?:a|e|ad|en|es|ate)|desobedece|descart(?:a|e)|"
        r"desestim(?:a|e)|"
        r"omit(?:e|a)|anul(?:a|e)|no (?:hagas caso (?:a|de)|sigas|obedezcas|respetes)|"
        r"ha(?:z|ga) caso omiso (?:a|de))\b"
        rf"(?:{_GAP}|\W+)(?:instruccion(?:es)?|indicacion(?:es)?|ordenes|reglas|directrices|"
        rf"directivas|"
        r"prompts?|consignas?|mensajes?|normas)\b(?:\W+\w+){0,4}?\W+"
        r"(?:anterior(?:es)?|previ[ao]s?|precedentes?|recibid[ao]s|dad[ao]s|sistema|arriba|"
        r"iniciales|original(?:es)?)\b",
        r"\b(?:ignora|olvida|desobedece|descarta|haz caso omiso de)\W+(?:todas?\W+)?tus\W+"
        r"(?:\w+\W+)?(?:instrucciones|indicaciones|ordenes|reglas|directrices)\b",
        r"\b(?:olvida|ignora) (?:todo )?lo (?:anterior|que (?:te|se te) \w+)",
        r"\bnew (?:system )?(?:instructions?|prompt|directives?)\s*(?:\w+\s*){0,2}:",
        r"\bnuev[ao]s? (?:instrucciones|ordenes|prompt|directrices)\s*(?:\w+\s*){0,3}:",
    ),
    _rule(
        "persona",
        "gives a model another role",
        r"\byou are (?:now|no longer) (?:in )?(?:an? |the )?(?:\w+ )?"
        r"(?:mode|dan|ai|assistant|chatbot|model|unrestricted|jailbroken|hacker|bound|"
        r"restricted)\b",
        rf"\bfrom now on,? (?:you (?:are|will|must|shall|act|answer|respond|only)|{_DO})\b",
        rf"{_START}(?:please |you must |you should |you will )?(?:act as|pretend (?:to be|"
        rf"that you are|you are)|"
        r"roleplay as|behave (?:as|like)) (?:if you|an? (?:\w+ )?(?:ai|assistant|model|hacker|"
        r"expert|person|chatbot))",
        r"\b(?:developer|god|dan|maintenance|debug|admin|sudo|jailbreak) mode (?:is |has been )?"
        r"(?:now )?(?:enabled|activated|unlocked)\b",
        rf"\b(?:a partir de (?:ahora|este momento)|desde ahora|de ahora en adelante),? {_HAZ}\b",
        r"\bahora eres\b|\bya no eres (?:un|una)\b|\bactua como (?:si|un|una)\b|\bfinge (?:ser|"
        r"que eres)\b|"
        r"\bhazte pasar por\b",
        r"\bmodo (?:desarrollador|dios|dan|mantenimiento|depuracion|"
        r"administrador) (?:\w+ )?(?:activado|habilitado)\b",
        r"\b(?:estas|entras) (?:ahora )?en modo (?:desarrollador|dios|dan|mantenimiento|"
        r"depuracion|administrador)\b",
    ),
    _rule(
        "addressed",
        "speaks to a model, not to a person",
        rf"\b(?:attention|dear|hey|hello|note (?:to|for)|message (?:to|for)|instructions? (?:to|"
        rf"for)|important for)"
        rf"[\s,:]+(?:the |any |all )?{_MODEL}\b(?:\s+\w+){{0,3}}\s*[:,.!]",
        rf"\bif you(?: are|'re) (?:an? |the )(?:\w+ )?{_MODEL}\b",
        rf"{_START}(?:assistant|{_MODEL})\s*[:,]\s*(?:please )?{_DO}\b",
        rf"\bas an? {_MODEL},? you (?:must|should|will|have to|are)\b",
        rf"\b(?:atencion|nota|aviso|mensaje|instrucciones|importante)[\s,:]+(?:para|a|"
        rf"al)?\s*(?:el |la |los |las )?"
        rf"{_MODELO}\b(?:\s+\w+){{0,3}}\s*[:,.!]",
        rf"\bsi eres (?:un |una |el |la )?(?:\w+ )?{_MODELO}\b",
        rf"{_START}(?:{_MODELO}|modelo)\s*[:,]\s*(?:por favor,? )?{_HAZ}\b",
    ),
    _rule(
        "turn",
        "looks like the marks between the turns of a conversation with a model",
        r"<\s*\|\s*(?:im_start|im_end|system|user|assistant|eot_id|start_header_id|end_header_id|"
        r"endofprompt|"
        r"begin_of_text|python_tag)\s*\|\s*>",
        r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
        r"</?(?:system|system_prompt|system-prompt|system_message|assistant|untrusted|"
        r"instructions)>\s*"
        r"(?:you|your|from|new|ignor|eres|ahora|do)",
        rf"^\W*(?:system|sistema)(?: prompt| message)?\s*:\s*(?:you are|you must|your|eres|debes|"
        rf"{_DO})\b",
        r"^#{1,4} *(?:system|instruction|instruccion|assistant) *:\s*$",
        r"\b(?:begin|end|start of|end of)[ _-](?:system[ _-]prompt|system[ _-]instructions)\b",
    ),
    _rule(
        "conceal",
        "asks a model to keep something from the reader",
        r"\b(?:do not|don'?t|never) (?:mention|reveal|disclose|tell|inform|show|repeat|"
        r"acknowledge)\b"
        rf"(?:{_GAP}|\W+)(?:this|these|the existence of this)\W+"
        r"(?:paragraph|instructions?|messages?|text|note|change|prompt|sentence)\b",
        r"\b(?:do not|don'?t|never) (?:tell|inform|alert|warn|notify|let) (?:the )?(?:user|human|"
        r"reader)\b",
        r"\bno (?:menciones|reveles|digas|avises|informes|cuentes|muestres|repitas)\b"
        rf"(?:{_GAP}|\W+)(?:est[ea]s?) (?:parrafo|instruccion(?:es)?|mensaje|texto|nota|cambio|"
        rf"indicacion(?:es)?)\b",
        r"\bno (?:se |le |les )?(?:lo )?(?:digas|avises|informes|cuentes|"
        r"reveles)(?:\W+\w+){0,4}?\W+al? (?:usuario|lector|humano)\b",
    ),
    _rule(
        "leak",
        "asks a model to give away what it should keep",
        r"\b(?:reveal|print|repeat|show|output|display|leak|tell me|give me|"
        r"disclose)\b(?:\W+\w+){0,2}?\W+"
        r"(?:your|the) (?:\w+ )?(?:system (?:prompt|message|instructions)|initial (?:prompt|"
        r"instructions)|"
        r"hidden (?:prompt|instructions))\b",
        rf"{_START}(?:please |then |and |now )?(?:send|forward|e-?mail|post|upload|exfiltrate|"
        rf"transmit)\b"
        r"(?:\W+\w+){0,5}?\W+(?:system prompt|this conversation|(?:the |our |whole )(?:chat|"
        r"conversation)(?: history)?|"
        r"customer (?:list|data)|list of (?:\w+ )?customers|all (?:\w+ )?(?:passwords|"
        r"credentials|secrets|api keys|contacts))\b",
        r"\b(?:muestra|revela|repite|imprime|ensena|escribe|dime)(?:me)?\b(?:\W+\w+){0,3}?\W+"
        r"(?:tu|tus|el) (?:\w+ )?(?:prompt|instrucciones (?:de sistema|iniciales|ocultas|"
        r"internas)|mensaje de sistema)\b",
        r"\b(?:envia|manda|reenvia|publica|sube|transmite|filtra)(?:me|le|les|"
        r"nos)?\b(?:\W+\w+){0,3}?\W+"
        r"(?:lista (?:\w+ )?de (?:\w+ )?clientes|(?:todas )?(?:las|tus) (?:contrasenas|claves|"
        r"credenciales)|"
        r"esta conversacion|(?:el )?historial de (?:la )?(?:conversacion|chat)|tus instrucciones|"
        r"datos de los clientes)\b",
        r"!\[[^\]\n]*\]\(\s*https?://[^)\s]*[?&/=](?:\{|<|%7b|\$\{|\[|data_?here|secret|"
        r"conversation)",
    ),
    _rule(
        "tool call",
        "looks like the call of a tool by a model",
        r"<\s*/?\s*(?:tool_calls?|function_calls?|tool_use|tool_result|antml:\w+)\b[^>\n]*>|"
        r"<invoke\s+name\s*=|"
        r"<function=\w+>",
        r"[{,]\s*\"(?:name|tool|function)\"\s*:\s*\"[\w.\-]{1,60}\"\s*,\s*\"(?:arguments|"
        r"parameters|tool_input)\"\s*:\s*[{\"]",
        r"\"tool_calls\"\s*:\s*\[",
        r"\b(?:call|use|invoke|usa|llama a|invoca) (?:the |your |tu |la |el )?(?:\w+ )?(?:tool|"
        r"function|herramienta)\b"
        r"(?:\W+\w+){0,6}?\W+(?:to|with|para|con)\W+(?:delete|send|transfer|email|borrar|enviar|"
        r"transferir)\b",
    ),
)
