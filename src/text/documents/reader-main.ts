/** The thread that reads documents: see document-reader.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DocumentLimits, DocumentText } from './document-text.ts';
import { limitBuffers } from './limit-buffers.ts';
import { readDocument } from './read-document.ts';

/** What the thread reports: it is ready, the text of a document, or why it has to be ended. */
type ThreadReport = 'ready' | DocumentText | 'too-large';

const limits = workerData as DocumentLimits;
const report = (words: ThreadReport) => parentPort?.postMessage(words);

// The refusal is an error somewhere in PDF.js, which may hide it.
limitBuffers(limits.memory * 1024 * 1024, () => report('too-large'));
parentPort?.on('message', (bytes: Uint8Array) => {
  void readDocument(bytes, limits).then(report);
});
report('ready');
