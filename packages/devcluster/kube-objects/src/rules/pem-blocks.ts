/** A block of PEM (RFC 7468): `-----BEGIN CERTIFICATE-----`. */
export interface PemBlock {
  readonly type: string;
  /** Whether lines such as `Proc-Type: 4,ENCRYPTED` precede its content. */
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
}

const block =
  /^-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]*:[^\n]*\n)*)([A-Za-z0-9+/=\s]*?)-----END \1-----[ \t\r]*$/gm;

/** The blocks of a text, in order. Text between them is skipped, as are blocks that are not base64. */
export function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(block)].map(([, type = '', headers = '', content = '']) => ({
    type,
    hasHeaders: headers !== '',
    bytes: Buffer.from(content, 'base64'),
  }));
}

/** One block of PEM, with lines of 64 characters. */
export function pemBlock(type: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n');
}
