import { isImageForTests } from '../ports/test-servers.js';

/** The files that an image brings and that programs may look for, by path. Of images that are not known, none. */
export function filesOfImage(image: string): Readonly<Record<string, string>> {
  return isImageForTests(image) ? testFiles : {};
}

const testFiles = {
  '/localhost.crt': 'certificate of the server of this image\n',
  '/localhost.key': 'key of the server of this image\n',
};
