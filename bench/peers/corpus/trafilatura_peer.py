"""WARC to Parquet with warcio, trafilatura and pyarrow: prints pages and seconds of CPU as JSON."""
import json
import sys
import time

import pyarrow as pa
import pyarrow.parquet as pq
import trafilatura
from warcio.archiveiterator import ArchiveIterator

out, *files = sys.argv[1:]
began = time.process_time()
rows = []
for path in files:
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response":
                continue
            body = record.content_stream().read()
            text = trafilatura.extract(body) or ""
            rows.append({"url": record.rec_headers["WARC-Target-URI"], "text": text})
pq.write_table(pa.Table.from_pylist(rows), out, compression="zstd")
print(json.dumps({"pages": len(rows), "cpu": time.process_time() - began}))
