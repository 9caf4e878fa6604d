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
 * Reads of `spec.request`, base64 of a PEM block, who it is for. Whoever signs looks at all of it.
 * @throws CertificateRequestError
 */
export function requestedSubject(request: string): RequestedSubject {
  const { subject } = partsOf(request);
  const names = elements(subject).flatMap(({ content }) => elements(content).map(({ content: pair }) => pair));
  const named = (id: string) =>
    names.flatMap((pair) => {
      const [type, value] = elements(pair);
      return type?.content.toString('hex') === id && value ? [value.content.toString('utf8')] : [];
    });
  return { commonNames: named(commonName), organizations: named(organization) };
}

/** Other names that a certificate can be for. */
export type AlternativeName = 'DNS' | 'Email' | 'IP' | 'URI';

/**
 * Which kinds of other names (subjectAltName) a request has.
 * @throws CertificateRequestError
 */
export function requestedAlternatives(request: string): ReadonlySet<AlternativeName> {
  const { attributes } = partsOf(request);
  const contentOf = (pairs: Buffer, id: string) =>
    elements(pairs).flatMap(({ content }) => {
      const [type, ...rest] = elements(content);
      const value = rest.at(-1);
      return type?.content.toString('hex') === id && value ? [value.content] : [];
    });
  const extensions = contentOf(attributes, extensionRequest).flatMap((set) => elements(set));
  const names = extensions
    .flatMap(({ content }) => contentOf(content, subjectAlternativeName))
    .flatMap((octets) => elements(octets))
    .flatMap(({ content }) => elements(content));
  return new Set(names.flatMap(({ tag }) => alternatives.get(tag) ?? []));
}

/**
 * What is read of a request: the content of its subject, and of its attributes (RFC 2986).
 * @throws CertificateRequestError
 */
function partsOf(request: string): RequestParts {
  const [, type, text = ''] = pemBlock.exec(Buffer.from(request, 'base64').toString('latin1')) ?? [];
  if (type !== 'CERTIFICATE REQUEST') {
    throw new CertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  }
  return partsOfDer(Buffer.from(text, 'base64'));
}

interface RequestParts extends SignedRequest {
  readonly subject: Buffer;
  readonly attributes: Buffer;
}

/** A request with its signature, all in DER. */
export interface SignedRequest {
  readonly publicKey: Buffer;
  readonly signed: Buffer;
  /** Identifier of the signature's algorithm, in hexadecimal. */
  readonly algorithm: string;
  readonly signature: Buffer;
}

/**
 * Reads the key and the signature of a request in DER. The signature is not verified.
 * @throws CertificateRequestError
 */
export function signedRequest(der: Buffer): SignedRequest {
  return partsOfDer(der);
}

function partsOfDer(der: Buffer): RequestParts {
  const [outer] = elements(der);
  const [info, algorithm, signature] = outer?.tag === sequence ? elements(outer.content) : [];
  if (info?.tag !== sequence || algorithm?.tag !== sequence || signature?.tag !== bitString) throw malformed();
  const [version, subject, publicKey, attributes] = elements(info.content);
  if (version?.tag !== integer || subject?.tag !== sequence || publicKey?.tag !== sequence) throw malformed();
  return {
    subject: subject.content,
    attributes: attributes?.content ?? Buffer.alloc(0),
    publicKey: publicKey.encoded,
    signed: info.encoded,
    algorithm: elements(algorithm.content)[0]?.content.toString('hex') ?? '',
    // The first byte counts the unused bits of the last one.
    signature: signature.content.subarray(1),
  };
}

// Tags of DER (ITU-T X.690), and object identifiers in their encoded form.
const integer = 0x02;
const bitString = 0x03;
const sequence = 0x30;
const commonName = '550403';
const organization = '55040a';
const extensionRequest = '2a864886f70d01090e';
const subjectAlternativeName = '551d11';
/** By tag of a GeneralName (RFC 5280). */
const alternatives: ReadonlyMap<number, AlternativeName> = new Map([
  [0x81, 'Email'],
  [0x82, 'DNS'],
  [0x86, 'URI'],
  [0x87, 'IP'],
]);

interface Element {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly encoded: Buffer;
}

/** The values that stand behind each other in DER. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
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
    const end = start + length;
    found.push({ tag, content: bytes.subarray(start, end), encoded: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

function malformed(): CertificateRequestError {
  return new CertificateRequestError('asn1: structure error: the request is not PKCS #10');
}
