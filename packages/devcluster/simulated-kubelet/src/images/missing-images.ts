/** Why a registry has no such image: a status code of gRPC, and what containerd says with it. */
export interface MissingImage {
  readonly code: typeof notFound | typeof unknownCode;
  readonly text: string;
}

const unknownCode = 2;
const notFound = 5;

const saidInTag = /^(?:404|not-?found|non-?existent|not-?existing|does-?not-?exist|no-?such-?tag)$/i;
const saidInName = /(?:^|[-_./])(?:non-?existent|not-?existing|does-?not-?exist|no-?such-?image)(?:$|[-_./])/;

/**
 * No registry is asked, so a reference has to say it: with a tag such as `404` or `does-not-exist`, a repository with such a word, or
 * a host that has the label `invalid`, a domain that RFC 6761 keeps for names that never resolve.
 */
export function whyMissing(image: string): MissingImage | undefined {
  const [, name = '', tag, digest] = /^([^@]*?)(?::([^:/@]+))?(@.*)?$/.exec(image) ?? [];
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(0, slash));
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const host = isHost ? first : 'docker.io';
  const path = isHost ? name.slice(slash + 1) : name.includes('/') ? name : `library/${name}`;
  const reference = `${host}/${path}${digest ?? `:${tag ?? 'latest'}`}`;
  const failed = `failed to pull and unpack image "${reference}": failed to resolve image`;
  if (host.split(':')[0]?.split('.').includes('invalid')) {
    const url = `https://${host}/v2/${path}/manifests/${digest?.slice(1) ?? tag ?? 'latest'}`;
    const why = `failed to do request: Head "${url}": dial tcp: lookup ${host.split(':')[0]}: no such host`;
    return { code: unknownCode, text: `${failed}: ${why}` };
  }
  if (!saidInTag.test(tag ?? '') && !saidInName.test(path)) return undefined;
  return { code: notFound, text: `${failed}: ${reference}: not found` };
}
