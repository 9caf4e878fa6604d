import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withoutSecrets, withoutSecretText } from './without-secrets.js';

const secret = 'S3cr3tS3cr3t';

// where it is | an object with the secret there
test.each<[string, unknown]>([
  [
    'an annotation of kubectl',
    { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': secret } } },
  ],
  ['managed fields', { metadata: { managedFields: [{ manager: secret }] } }],
  ['the environment', { spec: { containers: [{ env: [{ name: 'A', value: secret }] }] } }],
  ['a key of a Secret', { kind: 'Secret', data: { a: secret }, stringData: { b: secret } }],
  ['an argument of a task', { args: { url: 'https://a', bearerToken: secret, nested: { password: [secret] } } }],
  ['the user of an address', { url: `https://user:${secret}@example.com/hook` }],
  ['the query of an address', { message: `POST https://example.com/hook?key=${secret} failed` }],
  ['a header in a log', `Authorization: Bearer ${secret}`],
  ['a token in a log', `used eyJhbGciOi.${secret}.${secret} twice`],
  ['a key in PEM', `-----BEGIN EC PRIVATE KEY-----\n${secret}\n-----END EC PRIVATE KEY-----`],
  ['a key in PEM that breaks off', `-----BEGIN PRIVATE KEY-----\n${secret}`],
])('withoutSecrets() leaves out %s', (_, object) => {
  expect(JSON.stringify(withoutSecrets(object))).not.toContain(secret);
});

test('withoutSecrets() keeps everything else, however deep', () => {
  const plain = fc.string({ unit: fc.constantFrom(...'abc -./:0'), maxLength: 12 });
  const key = fc.constantFrom('spec', 'status', 'name', 'conditions', 'labels', 'message', 'observedGeneration');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      plain,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 3 }),
      tie('map'),
    ),
    map: fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(tree, (object) => {
      expect(withoutSecrets(object)).toEqual(object);
    }),
  );
});

test('withoutSecretText() keeps addresses without their secrets, and says that something was left out', () => {
  expect(withoutSecretText('get https://u:p@example.com/a?b=c now')).toBe(
    'get https://(left out)@example.com/a?(left out) now',
  );
});
