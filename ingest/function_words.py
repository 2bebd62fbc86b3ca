"""Words that hold a sentence together; one that several languages share votes for each of them."""

from ingest.words import words

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "es": words(
        """
        a el la los las un una uno unos unas de del al y e o u que en por para con sin
        sobre entre hasta desde  es son está están fue fueron era ser sido se su sus le
        les lo me te nos mi tu como más pero si sí  no ya muy también cuando donde quien
        cuál cuánto cuántos qué cómo dónde quién cuándo este esta  estos estas ese esa
        eso esto hay ha han he había porque todo todos toda todas otro otra cada según
        durante ante tras así aquí puede pueden debe deben tiene tienen hace sólo solo
        aunque mientras
        """
    ),
    "en": words(
        """
        the a an of to in on at by for with from into about as and or but not if then
        than that this  these those is are was were be been being has have had do does
        did will would can could should  must may might it its he she they we you i my
        your our their his her them us me what which who  when where why how there here
        all any each other some no so only also more most very just  don't isn't doesn't
        between under over after before during while because
        """
    ),
    "pt": words(
        """
        o a os as um uma de do da dos das em no na nos nas por para com sem que não é
        são foi se seu sua  seus suas como mais mas também quando onde quem este esta
        isso ao aos pelo pela já muito ou e
        """
    ),
    "fr": words(
        """
        a le la les un une des de du au aux et ou que qui dans en sur par pour avec sans
        est sont était  être ne pas plus ce cette ces il elle ils nous vous je son sa
        ses leur mais comme se à
        """
    ),
    "it": words(
        """
        a il lo la i gli le un uno una di del della dei delle da dal in nel nella con su
        per tra e o che  non è sono era si come più ma anche quando dove chi questo
        questa al alla
        """
    ),
    "ca": words(
        """
        a el la els les un una uns unes de del dels al als i o que en per amb sense és són
        va es seu seva  com més però també quan on qui aquest aquesta no ja molt
        """
    ),
    "de": words(
        """
        der die das den dem des ein eine einen einem einer und oder aber nicht in im an
        am auf für mit  von vom zu zum zur ist sind war wird werden es sie er wir ich
        sich als wie auch bei nach
        """
    ),
}
