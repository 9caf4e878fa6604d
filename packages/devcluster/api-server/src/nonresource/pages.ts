import { methodNotAllowed } from '@slipway/api-machinery/errors/status-errors';
import type { Random } from '@slipway/api-machinery/json/random';
import type { Clock } from '@slipway/kube';
import type { ServiceAccountTokens } from '../auth/tokens/service-account-tokens.js';
import type { VersionInfo } from '../discovery/version.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import { keySetPath, openidConfigurationPath } from '../request/address.js';
import { requireAcceptable } from '../request/negotiate.js';
import type { AdmittedRequest, ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { flagz } from './flagz.js';
import type { HealthCheck } from './health.js';
import { metricsAnswer } from './metrics.js';
import { keySet, openidConfiguration } from './openid.js';
import { slisAnswer } from './slis.js';
import { statusz } from './statusz.js';
import { zpageAnswer } from './zpage.js';

/** What answers at one path beside the resources. */
export type Page = (request: AdmittedRequest) => ApiAnswer | Promise<ApiAnswer>;

export interface PagesOptions {
  readonly version: VersionInfo;
  readonly clock: Clock;
  readonly tokens: ServiceAccountTokens;
  readonly isEnabled: (gate: string) => boolean;
  readonly flags: () => Readonly<Record<string, string>>;
  readonly metrics: () => string;
  readonly checks: readonly HealthCheck[];
  readonly random: Pick<Random, 'fraction'>;
  readonly definitions: DefinitionRegistry;
}

/** Where more is to be learnt about a server, as `/statusz` lists it. */
const usefulPaths = ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/version'];

/** The pages of a server by their path. Those behind a gate are there while it is on. */
export class Pages {
  readonly #pages: ReadonlyMap<string, Page>;
  readonly #gates: ReadonlyMap<string, string>;
  readonly #isEnabled: (gate: string) => boolean;
  readonly #definitions: DefinitionRegistry;

  constructor(options: PagesOptions) {
    const { version, clock, tokens, isEnabled, flags, metrics, checks, random, definitions } = options;
    this.#definitions = definitions;
    const startedMs = clock.now();
    this.#isEnabled = isEnabled;
    this.#gates = new Map([
      ['/flagz', 'ComponentFlagz'],
      ['/statusz', 'ComponentStatusz'],
    ]);
    this.#pages = new Map<string, Page>([
      ['/flagz', (request) => zpageAnswer(request, flagz(flags()))],
      ['/metrics', (request) => metricsAnswer(request, version, metrics())],
      ['/metrics/slis', (request) => slisAnswer(request, checks)],
      [
        '/statusz',
        (request) => {
          const times = { startedMs, nowMs: clock.now() };
          return zpageAnswer(request, statusz(version, times, usefulPaths, random.fraction()));
        },
      ],
      [
        '/version',
        forReading((request) => {
          requireAcceptable(request.headers.accept, ['application/json']);
          return jsonAnswer(200, valuePayload(version));
        }),
      ],
      [openidConfigurationPath, forReading(() => openidConfiguration(tokens))],
      [keySetPath, forReading(() => keySet(tokens))],
    ]);
  }

  at(path: string): Page | undefined {
    return this.#isThere(path) ? this.#pages.get(path) : undefined;
  }

  /** Every path there is one at. */
  paths(): readonly string[] {
    return [...this.#pages.keys()].filter((path) => this.#isThere(path));
  }

  /** A server without service accounts signs no tokens that others would have to check. */
  #isThere(path: string): boolean {
    if (path === openidConfigurationPath || path === keySetPath) {
      return this.#definitions.find('', 'v1', 'serviceaccounts') !== undefined;
    }
    const gate = this.#gates.get(path);
    return gate === undefined || this.#isEnabled(gate);
  }
}

function forReading(page: Page): Page {
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    return page(request);
  };
}
