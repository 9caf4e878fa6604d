/** What a certificate signing request (PKCS #10) asks to be called. */
export interface RequestedSubject {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
}

/** A request that is none, in the words of the API. */
export class CertificateRequestError extends Error {
  override readonly name = 'CertificateRequestError';
}

const pemBlock = /-----BEGIN ([^-]+)-----([A-Za-z0-9+/=\s]+)-----END \1-----/;

/**
 * Reads `spec.request`: base64 of a PEM block. Reads as far as the subject; whoever signs looks at all of it.
 * @throws CertificateRequestError
 */
export function requestedSubject(request: string): RequestedSubject {
  const [, type, text = ''] = pemBlock.exec(Buffer.from(request, 'base64').toString('latin1')) ?? [];
  if (type !== 'CERTIFICATE REQUEST') {
    throw new CertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  }
  const [whole] = elements(Buffer.from(text, 'base64'));
  const [info, algorithm, signature] = whole?.tag === sequence ? elements(whole.content) : [];
  if (info?.tag !== sequence || algorithm?.tag !== sequence || signature?.tag !== bitString) throw malformed();
  const [version, subject, publicKey] = elements(info.content);
  if (version?.tag !== integer || subject?.tag !== sequence || publicKey?.tag !== sequence) throw malformed();
  const names = elements(subject.content).flatMap(({ content }) => elements(content).map(({ content: pair }) => pair));
  const named = (id: string) =>
    names.flatMap((pair) => {
      const [type, value] = elements(pair);
      return type?.content.toString('hex') === id && value ? [value.content.toString('utf8')] : [];
    });
  return { commonNames: named(commonName), organizations: named(organization) };
}

// Tags of DER (ITU-T X.690), and object identifiers in their encoded form.
const integer = 0x02;
const bitString = 0x03;
const sequence = 0x30;
const commonName = '550403';
const organization = '55040a';

/** The values that stand behind each other in DER. */
function elements(bytes: Buffer): { readonly tag: number; readonly content: Buffer }[] {
  const found: { tag: number; content: Buffer }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    let length = bytes[at + 1] ?? 0;
    let start = at + 2;
    if (length > 0x80) {
      const width = length & 0x7f;
      if (width > 4 || start + width > bytes.length) throw malformed();
      length = bytes.readUIntBE(start, width);
      start += width;
    }
    if (start + length > bytes.length) throw malformed();
    found.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}

function malformed(): CertificateRequestError {
  return new CertificateRequestError('asn1: structure error: the request is not PKCS #10');
}
