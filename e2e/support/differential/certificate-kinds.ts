import type { SentKind } from './sent-kinds.js';

/** A certificate of an authority that signed itself, valid for 100 years. */
const authority = `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUA4SH1Uksv6VKZqgLX7T6iX7WDZIwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjcwODA4NDNaGA8yMTI2MTEwMzA4MDg0M1ow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDbHKAibu+ST
MoSfef7OaB+XaYpKkITpHcvx5NFVygMy6jDxBQSdlFXyEheiUbQ0XH0EnPhb4XKu
fel6z/27xzejUzBRMB0GA1UdDgQWBBTJSDE9FpELYagZ526fCqoxsWQnjDAfBgNV
HSMEGDAWgBTJSDE9FpELYagZ526fCqoxsWQnjDAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQCtQ8o8DSaMC1HRmp3ZiLyLraWVB7djxsY63k8uY/cq
BQIhAOj67qrinbGmLuerPs3nDquKvEWsi/L/n8LKsqTiD39o
-----END CERTIFICATE-----
`;

/** A request without names, for the same key. */
const request =
  'MIG5MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDbHKAibu+STMoSfef7OaB+XaYpKkITpHcvx5NFVygMy6jDx' +
  'BQSdlFXyEheiUbQ0XH0EnPhb4XKufel6z/27xzegADAKBggqhkjOPQQDAgNHADBEAiAtEBdlppyt/haJ00tfo0Q7yJ1TnV1J' +
  '4lyf5d40OSdUbQIgE2tz3u696Es1GkcTFlpC2zg2IOUHQxOFVt6cMDSQq1E=';

/** The same request as a CertificateSigningRequest has it. */
export const certificateRequest = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----\n${request.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE REQUEST-----\n`,
).toString('base64');

/** Kinds of certificates that Kubernetes serves by default since 1.37. */
export const certificateKinds: readonly SentKind[] = [
  {
    collection: '/apis/certificates.k8s.io/v1/clustertrustbundles',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'ClusterTrustBundle',
      spec: { trustBundle: authority },
    },
    since: '1.37',
  },
  {
    collection: '/apis/certificates.k8s.io/v1/namespaces/{ns}/podcertificaterequests',
    object: {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'PodCertificateRequest',
      spec: {
        signerName: 'example.dev/a',
        podName: 'a',
        podUID: 'u',
        serviceAccountName: 'default',
        serviceAccountUID: 'v',
        nodeName: 'n1',
        nodeUID: 'w',
        stubPKCS10Request: request,
      },
    },
    subresources: ['status'],
    since: '1.37',
  },
];
