"""What datatrove's filters decide: datatrove_peer.py FILE

FILE has a JSON string a line: the text of a page. Prints a JSON object a line: for each preset None
if the page is kept, or the name of the rule that drops it. `fineweb` is the chain of filters of
datatrove's examples/fineweb.py without the language filter, whose model is not part of the package.
"""
import json
import sys

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

CHAINS = {
    "gopher": [GopherRepetitionFilter(), GopherQualityFilter()],
    "c4": [C4QualityFilter()],
    "fineweb": [
        GopherRepetitionFilter(),
        GopherQualityFilter(),
        C4QualityFilter(filter_no_terminal_punct=False),
        FineWebQualityFilter(),
    ],
}


def decision(chain, text):
    # A filter may change the text: those behind it see what is left.
    document = Document(text=text, id="0")
    for step in chain:
        try:
            result = step.filter(document)
        except ZeroDivisionError:
            return "nothing to divide by"
        if isinstance(result, tuple):
            result, reason = result
        else:
            reason = step.name
        if not result:
            return reason
    return None


for line in open(sys.argv[1], encoding="utf-8"):
    text = json.loads(line)
    print(json.dumps({name: decision(chain, text) for name, chain in CHAINS.items()}))
