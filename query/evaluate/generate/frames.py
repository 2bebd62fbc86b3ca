"""How people ask: question forms with room for one or two phrases.

Their words (role, reason, main, known …) stand in no evidence. Real questions have such words too: they
are what a search by words alone stumbles over.
"""

from collections.abc import Mapping, Sequence

WITH_ONE: Mapping[str, Sequence[str]] = {
    "en": (
        "what is known about {}",
        "how does {} work",
        "what is the purpose of {}",
        "why does {} matter",
        "what kind of {} is there",
        "what happens with {}",
        "what are the main points about {}",
        "can somebody explain {}",
    ),
    "es": (
        "qué se sabe de {}",
        "cómo funciona {}",
        "para qué sirve {}",
        "por qué importa {}",
        "qué tipo de {} hay",
        "qué pasa con {}",
        "cuáles son los puntos principales sobre {}",
        "alguien puede explicar {}",
    ),
}
WITH_TWO: Mapping[str, Sequence[str]] = {
    "en": (
        "what role does {0} play in {1}",
        "how is {0} related to {1}",
        "what is the reason for {0} in the case of {1}",
        "what effect does {0} have on {1}",
        "which {0} is mentioned in connection with {1}",
        "what does {0} have to do with {1}",
        "how was {0} used for {1}",
        "what problem is there with {0} and {1}",
        "is it true that {0} depends on {1}",
        "what was found out about {0} by means of {1}",
    ),
    "es": (
        "qué papel tiene {0} en {1}",
        "cómo se relaciona {0} con {1}",
        "cuál es la razón de {0} en el caso de {1}",
        "qué efecto tiene {0} sobre {1}",
        "qué {0} se menciona en relación con {1}",
        "qué tiene que ver {0} con {1}",
        "cómo se usó {0} para {1}",
        "qué problema hay con {0} y {1}",
        "es cierto que {0} depende de {1}",
        "qué se averiguó sobre {0} por medio de {1}",
    ),
}
FACTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "en": {
        "year": ("in what year did {}", "when did {} happen"),
        "count": ("how many {}", "what number of {} was reported"),
        "name": ("what is the name in {}", "which one is known for {}", "who or what {}"),
    },
    "es": {
        "year": ("en qué año fue {}", "cuándo ocurrió {}"),
        "count": ("cuántos {}", "qué número de {} se indica"),
        "name": ("cuál es el nombre en {}", "quién o qué es conocido por {}", "qué o quién {}"),
    },
}
IS: Mapping[str, str] = {"en": "what is {}", "es": "qué es {}"}
IS_CALLED: Mapping[str, Sequence[str]] = {
    "en": ("what do you call {}", "what is the word for {}"),
    "es": ("cómo se llama {}", "qué palabra hay para {}"),
}
