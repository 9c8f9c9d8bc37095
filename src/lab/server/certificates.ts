/**
 * The lab's certificate authority: makes X.509 certificates, good ones and each kind of bad one.
 *
 * Idea      Node can sign and verify but not build a certificate. A certificate is little more than
 *           nested length-prefixed values (DER) with a signature over them: a hundred lines are
 *           enough.
 * Ensures   certificates that Node's own TLS accepts when given `authority`, or refuses for exactly
 *           the fault asked for.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export type Flaw = 'none' | 'expired' | 'self-signed' | 'wrong-name';

interface Certificate {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const DAY = 86_400_000;
const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

export class Authority {
  /** The authority's own certificate, PEM: what a client must trust. */
  readonly pem: string;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  /** All hosts share one key: one for each would cost time and prove nothing. */
  readonly #hostKeys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  readonly #hostKeyPem = this.#hostKeys.privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
  readonly #name = nameOf('Drumlin lab authority');
  readonly #now: number;

  constructor(now: number) {
    this.#now = now;
    this.pem = pem(
      this.#certificate({
        subject: this.#name,
        issuer: this.#name,
        publicKey: this.#keys.publicKey,
        signer: this.#keys.privateKey,
        from: now - DAY,
        until: now + 3650 * DAY,
        extensions: [
          extension('2.5.29.19', sequence(boolean(true)), true),
          extension('2.5.29.15', bitString(Buffer.from([0x06]), 1), true),
        ],
      }),
    );
  }

  /** A certificate for a host, with the flaw asked for. */
  issue(host: string, flaw: Flaw = 'none'): Certificate {
    const shown = flaw === 'wrong-name' ? 'somebody-else.test' : host;
    const subject = nameOf(shown.length <= 64 ? shown : 'a host of the lab');
    const selfSigned = flaw === 'self-signed';
    const der = this.#certificate({
      subject,
      issuer: selfSigned ? subject : this.#name,
      publicKey: this.#hostKeys.publicKey,
      signer: selfSigned ? this.#hostKeys.privateKey : this.#keys.privateKey,
      from: this.#now - 30 * DAY,
      until: flaw === 'expired' ? this.#now - DAY : this.#now + 365 * DAY,
      extensions: [
        extension('2.5.29.17', sequence(value(0x82, Buffer.from(shown, 'latin1'))), false),
        extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')), false),
        // Strict verifiers require the id of the key that signed, unless it is the certificate's
        // own.
        ...(selfSigned
          ? []
          : [extension('2.5.29.35', sequence(value(0x80, keyIdOf(this.#keys.publicKey))), false)]),
      ],
    });
    return { cert: pem(der), key: this.#hostKeyPem };
  }

  #certificate(parts: {
    subject: Buffer;
    issuer: Buffer;
    publicKey: KeyObject;
    signer: KeyObject;
    from: number;
    until: number;
    extensions: Buffer[];
  }): Buffer {
    const spki = parts.publicKey.export({ type: 'spki', format: 'der' });
    const keyId = keyIdOf(parts.publicKey);
    const body = sequence(
      value(0xa0, integer(Buffer.from([2]))), // version 3
      integer(randomBytes(12)),
      ECDSA_SHA256,
      parts.issuer,
      sequence(time(parts.from), time(parts.until)),
      parts.subject,
      spki,
      value(0xa3, sequence(extension('2.5.29.14', value(0x04, keyId), false), ...parts.extensions)),
    );
    return sequence(body, ECDSA_SHA256, bitString(sign('sha256', body, parts.signer), 0));
  }
}

/** The id of a key: certificates use it to name their own key and their signer's. */
function keyIdOf(key: KeyObject): Buffer {
  return createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Tag, length, content. */
function value(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes = length < 256 ? [length] : [length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

function sequence(...contents: Uint8Array[]): Buffer {
  return value(0x30, ...contents);
}

function boolean(yes: boolean): Buffer {
  return value(0x01, Buffer.from([yes ? 0xff : 0]));
}

/** A positive integer: a leading bit of one would make it negative. */
function integer(bytes: Buffer): Buffer {
  const positive = Buffer.from(bytes);
  if (positive.length > 1) positive[0] = (positive[0] & 0x7f) | 0x40;
  return value(0x02, positive);
}

function bitString(bytes: Buffer, unused: number): Buffer {
  return value(0x03, Buffer.from([unused]), bytes);
}

function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const septets = [arc & 127];
    for (let left = arc >>> 7; left > 0; left >>>= 7) septets.unshift((left & 127) | 128);
    bytes.push(...septets);
  }
  return value(0x06, Buffer.from(bytes));
}

function nameOf(commonName: string): Buffer {
  return sequence(
    value(0x31, sequence(oid('2.5.4.3'), value(0x0c, Buffer.from(commonName, 'utf8')))),
  );
}

/** YYMMDDHHMMSSZ up to 2049, as RFC 5280 requires. */
function time(millis: number): Buffer {
  const digits = new Date(millis).toISOString().replace(/[-:T]|\.\d+/g, '');
  return value(0x17, Buffer.from(digits.slice(2), 'latin1'));
}

function extension(id: string, content: Buffer, critical: boolean): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), value(0x04, content));
}
