import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  Boolean as Asn1Boolean,
  type BaseBlock,
  BitString,
  Constructed,
  fromBER,
  GeneralizedTime,
  Integer,
  ObjectIdentifier,
  OctetString,
  Primitive,
  Sequence,
  Set as SetOf,
  UTCTime,
  Utf8String,
} from 'asn1js';

/** Object identifiers of RFC 5280 and RFC 5758. */
const identifiers = {
  CN: '2.5.4.3',
  O: '2.5.4.10',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAlternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
} as const;

/** Bits of a KeyUsage, the first being the highest (RFC 5280, 4.2.1.3). */
const keyUsages = { digitalSignature: 0x80, keyCertSign: 0x04, cRLSign: 0x02 } as const;

/** What a certificate is to say. */
export interface CertificateTerms {
  /** In the order in which they are written. */
  readonly subject: readonly (readonly ['CN' | 'O', string])[];
  readonly publicKey: KeyObject;
  /** Milliseconds since 1970; the certificate has whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly isAuthority?: true;
  readonly purpose?: 'serverAuth' | 'clientAuth';
  /** Names and addresses of a server. */
  readonly names?: readonly string[];
}

/** Who signs: an authority that there is, or, without its certificate, the subject itself. */
export interface Issuer {
  /** PEM. */
  readonly certificate?: string;
  /** An EC key, whose signatures are ECDSA with SHA-256. */
  readonly key: KeyObject;
}

/**
 * Signs an X.509 certificate of version 3 (RFC 5280), with an unguessable serial number.
 * @returns PEM
 */
export function signCertificate(terms: CertificateTerms, issuer: Issuer): string {
  const publicKey = parsed(terms.publicKey.export({ type: 'spki', format: 'der' }));
  const subject = distinguishedName(terms.subject);
  const keyIdentifier = issuer.certificate === undefined ? identifierOf(publicKey) : subjectKeyOf(issuer.certificate);
  const algorithm = sequence(identifier('ecdsaWithSha256'));
  const content = sequence(
    tagged(0, new Integer({ value: 2 })),
    new Integer({ valueHex: serialNumber() }),
    algorithm,
    issuer.certificate === undefined ? subject : partOf(issuer.certificate, subjectAt),
    sequence(time(terms.notBeforeMs), time(terms.notAfterMs)),
    subject,
    publicKey,
    tagged(3, sequence(...extensionsOf(terms, keyIdentifier))),
  );
  const signature = sign('sha256', bytesOf(content), issuer.key);
  const certificate = sequence(content, algorithm, new BitString({ valueHex: signature }));
  return new X509Certificate(bytesOf(certificate)).toString();
}

/** An authority says which key it has; others say which key signed them. */
function extensionsOf(terms: CertificateTerms, keyIdentifier: OctetString): Sequence[] {
  const { isAuthority, purpose, names } = terms;
  const usages = isAuthority
    ? (['digitalSignature', 'keyCertSign', 'cRLSign'] as const)
    : (['digitalSignature'] as const);
  const usageBits = usages.reduce((bits, usage) => bits | keyUsages[usage], 0);
  const unusedBits = Math.clz32(usageBits & -usageBits) ^ 31;
  const extensions = [
    extension('basicConstraints', sequence(...(isAuthority ? [new Asn1Boolean({ value: true })] : [])), true),
    extension('keyUsage', new BitString({ valueHex: Uint8Array.of(usageBits), unusedBits }), true),
  ];
  if (isAuthority) extensions.push(extension('subjectKeyIdentifier', keyIdentifier));
  else extensions.push(extension('authorityKeyIdentifier', sequence(implicit(0, keyIdentifier.getValue()))));
  if (purpose) extensions.push(extension('extendedKeyUsage', sequence(identifier(purpose))));
  if (names) extensions.push(extension('subjectAlternativeName', sequence(...names.map(generalName))));
  return extensions;
}

function extension(name: keyof typeof identifiers, value: BaseBlock, isCritical = false): Sequence {
  const critical = isCritical ? [new Asn1Boolean({ value: true })] : [];
  return sequence(identifier(name), ...critical, new OctetString({ valueHex: bytesOf(value) }));
}

/** An address as its bytes, anything else as a DNS name. */
function generalName(name: string): Primitive {
  return isIP(name) === 0 ? implicit(2, Buffer.from(name, 'latin1')) : implicit(7, addressBytes(name));
}

function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split('.').map(Number));
  // A URL writes all parts in hexadecimal digits and at most one `::`.
  const [head = [], tail = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((digits) => digits !== ''));
  const parts = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Uint8Array.from(
    parts.map((digits) => Number.parseInt(digits, 16)).flatMap((part) => [part >> 8, part & 0xff]),
  );
}

function distinguishedName(parts: CertificateTerms['subject']): Sequence {
  return sequence(
    ...parts.map(([name, value]) => new SetOf({ value: [sequence(identifier(name), new Utf8String({ value }))] })),
  );
}

/** In two digits of the year up to 2049, as RFC 5280 demands. */
function time(ms: number): BaseBlock {
  const valueDate = new Date(Math.floor(ms / 1000) * 1000);
  return valueDate.getUTCFullYear() < 2050 ? new UTCTime({ valueDate }) : new GeneralizedTime({ valueDate });
}

/** SHA-1 of the key's bits (RFC 5280, 4.2.1.2): a name for the key, on which no safety rests. */
function identifierOf(publicKey: Sequence): OctetString {
  const bits = publicKey.valueBlock.value.at(-1) as BitString;
  return new OctetString({ valueHex: createHash('sha1').update(bits.valueBlock.valueHexView).digest() });
}

/** Where the parts of a certificate of version 3 are. */
const subjectAt = 5;
const extensionsAt = -1;

function partOf(certificate: string, at: number): BaseBlock {
  const [content] = parsed(new X509Certificate(certificate).raw).valueBlock.value as [Sequence];
  const part = content.valueBlock.value.at(at);
  if (!part) throw new TypeError('the certificate of the authority is not of version 3');
  return part;
}

function subjectKeyOf(certificate: string): OctetString {
  const [all] = (partOf(certificate, extensionsAt) as Constructed).valueBlock.value as [Sequence];
  const found = (all.valueBlock.value as Sequence[])
    .map(({ valueBlock }) => valueBlock.value)
    .find(([name]) => (name as ObjectIdentifier).getValue() === identifiers.subjectKeyIdentifier);
  if (!found) throw new TypeError('the certificate of the authority does not say which key it has');
  return parsed((found.at(-1) as OctetString).getValue()) as unknown as OctetString;
}

function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function sequence(...value: BaseBlock[]): Sequence {
  return new Sequence({ value });
}

function identifier(name: keyof typeof identifiers): ObjectIdentifier {
  return new ObjectIdentifier({ value: identifiers[name] });
}

const contextSpecific = 3;

function tagged(tagNumber: number, inner: BaseBlock): Constructed {
  return new Constructed({ idBlock: { tagClass: contextSpecific, tagNumber }, value: [inner] });
}

function implicit(tagNumber: number, valueHex: ArrayBuffer | Uint8Array): Primitive {
  return new Primitive({ idBlock: { tagClass: contextSpecific, tagNumber }, valueHex });
}

function bytesOf(block: BaseBlock): Uint8Array {
  return new Uint8Array(block.toBER());
}

function parsed(bytes: ArrayBuffer | Uint8Array): Sequence {
  const { result, offset } = fromBER(bytes);
  if (offset === -1) throw new TypeError(`not DER: ${result.error}`);
  return result as Sequence;
}
