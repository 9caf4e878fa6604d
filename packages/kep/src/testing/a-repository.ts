import { defaultConfig } from '../check/config.js';
import type { RepositoryFacts } from '../facts/rule.js';

/** The rest of a repository as the rules ask for it: empty, unless said otherwise. */
export function aRepository(overrides: Partial<RepositoryFacts> = {}): RepositoryFacts {
  return {
    groups: undefined,
    approvers: undefined,
    components: new Set(defaultConfig.components),
    exists: () => false,
    sameNumber: () => [],
    statusOf: () => undefined,
    profiles: new Set(),
    release: undefined,
    members: () => undefined,
    ownersIn: () => undefined,
    ...overrides,
  };
}
