import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** The built pages: each path with its media type and its text. `/` is the document of every page. */
export type Pages = Readonly<Record<string, { readonly type: string; readonly text: string }>>;

/** A file as it is sent. */
export interface ServedFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether it is the document of a page, which loads the other files. */
  readonly isDocument: boolean;
}

/** Paths under which the document is served; its script shows the page that the path names. */
const documents = /^\/(?:(?:features|nodes|pulls|keps|upgrade)(?:\/.*)?)?$/;

/** Finds files by their exact path, so that no path leads anywhere else. Compresses each of them once. */
export function servedPages(pages: Pages): (path: string, acceptEncoding?: string) => ServedFile | undefined {
  const made = new Map<string, ServedFile>();
  return (path, acceptEncoding = '') => {
    const name = documents.test(path) ? '/' : path;
    const file = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (!file) return undefined;
    const encoding = (['br', 'gzip'] as const).find((one) => new RegExp(`\\b${one}\\b`).test(acceptEncoding));
    const key = `${encoding} ${name}`;
    const known = made.get(key) ?? compressed(file, encoding, name.startsWith('/assets/'));
    made.set(key, known);
    return known;
  };
}

/** A few milliseconds for the script; the best quality takes a tenth of a second, for a tenth of its size. */
const quality = { [constants.BROTLI_PARAM_QUALITY]: 5 };

function compressed(
  { type, text }: Pages[string],
  encoding: 'br' | 'gzip' | undefined,
  isNamedByHash: boolean,
): ServedFile {
  const plain = Buffer.from(text);
  const body =
    encoding === 'br' ? brotliCompressSync(plain, { params: quality }) : encoding === 'gzip' ? gzipSync(plain) : plain;
  return {
    body,
    isDocument: type.startsWith('text/html'),
    headers: {
      'content-type': type,
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
      ...(isNamedByHash && { 'cache-control': 'private, max-age=31536000, immutable' }),
    },
  };
}
