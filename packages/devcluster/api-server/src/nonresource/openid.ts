import type { ServiceAccountTokens } from '../auth/tokens/service-account-tokens.js';
import { keySetPath } from '../request/address.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';

const cached = { 'cache-control': 'public, max-age=3600' };

/** Tells others how to check the tokens of service accounts: OpenID Connect Discovery 1.0. */
export function openidConfiguration({ issuer, algorithm }: ServiceAccountTokens): ApiAnswer {
  const configuration = {
    issuer,
    jwks_uri: `${issuer.replace(/\/$/, '')}${keySetPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
  };
  const answer = jsonAnswer(200, valuePayload(configuration));
  return { ...answer, headers: { ...answer.headers, ...cached } };
}

/** The keys to check them by: a JSON Web Key Set (RFC 7517). */
export async function keySet(tokens: ServiceAccountTokens): Promise<ApiAnswer> {
  const answer = jsonAnswer(200, valuePayload(await tokens.keySet()));
  return { ...answer, headers: { ...answer.headers, ...cached, 'content-type': 'application/jwk-set+json' } };
}
