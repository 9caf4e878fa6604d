import type { User } from '@slipway/api-machinery/identity/user';
import { type Clock, microTimestamp } from '@slipway/kube';
import type { Address } from '../request/address.js';
import type { AuditTrail } from '../request/audit-trail.js';
import type { ApiAnswer, ApiRequest } from '../request/request.js';
import { requestAccess } from '../request/request-access.js';

/** Takes the audit events of a server, one after the other. */
export type AuditSink = (event: AuditEvent) => void;

/** `Event` of audit.k8s.io/v1 at level `Metadata`: who asked for what, and what became of it; never what was in it. */
export interface AuditEvent {
  readonly kind: 'Event';
  readonly apiVersion: 'audit.k8s.io/v1';
  readonly level: 'Metadata';
  readonly auditID: string;
  readonly stage: 'ResponseComplete' | 'ResponseStarted';
  readonly requestURI: string;
  readonly verb: string;
  readonly user: AuditedUser;
  readonly impersonatedUser?: AuditedUser;
  readonly userAgent?: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus: { readonly code: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface AuditedUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** What is found out about one request on its way, for the audit log. */
export class AuditRecord implements AuditTrail {
  readonly id: string;
  readonly #clock: Clock;
  readonly #receivedAt: string;
  readonly #annotations = new Map<string, string>();
  #user: User | undefined;
  #actingAs: User | undefined;

  constructor(id: string, clock: Clock) {
    this.id = id;
    this.#clock = clock;
    this.#receivedAt = microTimestamp(clock.now());
  }

  /** Says something about the request. What was said under a key stays. */
  annotate(key: string, value: string): void {
    if (!this.#annotations.has(key)) this.#annotations.set(key, value);
  }

  /** Who signed in, and whom the server takes them for. */
  admitted(user: User | undefined, actingAs: User): void {
    this.#user = user ?? actingAs;
    this.#actingAs = actingAs;
  }

  /** The event, once there is an answer. A watch has only begun then. */
  event(request: ApiRequest, address: Address, { status, payload }: ApiAnswer): AuditEvent {
    const access = requestAccess(request.method, address);
    const user = this.#user ?? request.user;
    const isImpersonated = this.#actingAs !== undefined && this.#actingAs !== user;
    const agent = request.headers['user-agent'];
    const ref = objectRef(address);
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'Metadata',
      auditID: this.id,
      stage: payload?.kind === 'watch' ? 'ResponseStarted' : 'ResponseComplete',
      requestURI: request.path,
      verb: access.verb,
      user: audited(user),
      ...(isImpersonated && { impersonatedUser: audited(this.#actingAs) }),
      ...(agent !== undefined && { userAgent: agent }),
      ...(ref && { objectRef: ref }),
      responseStatus: { code: status },
      requestReceivedTimestamp: this.#receivedAt,
      stageTimestamp: microTimestamp(this.#clock.now()),
      ...(this.#annotations.size > 0 && { annotations: Object.fromEntries(this.#annotations) }),
    };
  }
}

function audited(user: User | undefined): AuditedUser {
  if (!user) return {};
  const { name, uid, groups } = user;
  return { username: name, ...(uid !== undefined && { uid }), groups };
}

function objectRef({ parsed }: Address): Readonly<Record<string, string>> | undefined {
  if (parsed.kind !== 'resource') return undefined;
  const { plural, namespace, name, group, version, subresource } = parsed.resource;
  const all = { resource: plural, namespace, name, apiGroup: group, apiVersion: version, subresource };
  const known = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(known);
}
