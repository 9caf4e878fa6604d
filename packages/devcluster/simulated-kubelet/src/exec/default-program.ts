const shells = 'almalinux alpine amazonlinux bash busybox debian fedora rockylinux ubuntu';
const images = new RegExp(`(?:^|/)(?:${shells.replaceAll(' ', '|')})(?:$|[:@])`);

/**
 * The program that a container runs whose pod names none, where its image is known by the last part of its name: a
 * shell, or that of `hello-world`. Undefined for all other images.
 */
export function defaultProgram(image: string): readonly string[] | undefined {
  if (/(?:^|\/)hello-world(?:$|[:@])/.test(image)) return ['echo', 'Hello from Docker!'];
  return images.test(image) ? ['sh'] : undefined;
}
