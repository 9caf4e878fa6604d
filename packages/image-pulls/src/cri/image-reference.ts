/** The registry an image comes from, as the runtimes read references: `docker.io` when none is named. */
export function registryOf(image: string): string {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  return first.includes('.') || first.includes(':') || first === 'localhost' ? first.toLowerCase() : 'docker.io';
}

/** The repository within its registry, as containerd notes where a blob came from: `library/web` for `web` of docker.io. */
export function repositoryOf(image: string): string {
  const registry = registryOf(image);
  const [name = ''] = image.split('@');
  const path = name.toLowerCase().startsWith(`${registry}/`) ? name.slice(registry.length + 1) : name;
  const slash = path.lastIndexOf('/');
  const repository = path.slice(0, slash + 1) + (path.slice(slash + 1).split(':')[0] ?? '');
  return registry === 'docker.io' && !repository.includes('/') ? `library/${repository}` : repository;
}

/** Whether a reference names content by its digest, so that it can never mean something else. */
export function hasDigest(image: string): boolean {
  return /@[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-fA-F]{32,}$/.test(image);
}

/** A reference as the kubelet sends it: `:latest` when it has neither tag nor digest. */
export function withDefaultTag(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return name.includes(':') || image.includes('@') ? image : `${image}:latest`;
}

/** An image reference for a log line: short, and without characters that move a terminal. */
export function printable(image: string): string {
  const text = [...image.slice(0, 256)].map((char) => (isControl(char) ? '\ufffd' : char)).join('');
  return image.length > 256 ? `${text}...` : text;
}

function isControl(char: string): boolean {
  const code = char.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
