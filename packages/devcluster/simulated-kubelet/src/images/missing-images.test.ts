import { describe, expect, test } from 'vitest';
import { whyMissing } from './missing-images.js';

describe('whyMissing()', () => {
  test.each([
    'nginx',
    'nginx:1.27',
    'registry.example/web:1',
    'localhost:5000/team/app@sha256:0123456789abcdef0123456789abcdef',
    'notfoundry/app:v404',
    'invalid/app:1',
    'registry.example:404/app:1',
  ])('%s is there', (image) => {
    expect(whyMissing(image)).toBeUndefined();
  });

  test.each([
    ['foo:non-existent', 'docker.io/library/foo:non-existent'],
    ['webserver:404', 'docker.io/library/webserver:404'],
    ['team/web:does-not-exist', 'docker.io/team/web:does-not-exist'],
    ['quay.io/team/doesnotexist', 'quay.io/team/doesnotexist:latest'],
    ['localhost:5000/nonexistent-app:1', 'localhost:5000/nonexistent-app:1'],
  ])('%s is not found', (image, reference) => {
    const text = `failed to pull and unpack image "${reference}": failed to resolve image: ${reference}: not found`;
    expect(whyMissing(image)).toEqual({ code: 5, text });
  });

  test.each(['invalid.registry.k8s.io/busybox:1', 'registry.invalid:5000/busybox:1'])(
    'the host of %s does not resolve',
    (image) => {
      const [host = ''] = image.split('/');
      const [name = ''] = host.split(':');
      expect(whyMissing(image)).toMatchObject({
        code: 2,
        text: expect.stringMatching(
          `Head "https://${host}/v2/busybox/manifests/1": dial tcp: lookup ${name}: no such host$`,
        ),
      });
    },
  );
});
