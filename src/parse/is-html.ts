/** Whether a response is HTML: by its header, or without one by the beginning of its body. */
const HTML_TYPE = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const HTML_BEGINNING = /^\s*<(?:!doctype\s+html|html|head|body|!--)/i;
/** Bytes of the body to look at. */
const BEGINNING = 512;

export function isHtml(contentType: string | undefined, payload: Uint8Array): boolean {
  if (contentType !== undefined) return HTML_TYPE.test(contentType);
  return HTML_BEGINNING.test(Buffer.from(payload.subarray(0, BEGINNING)).toString('latin1'));
}
