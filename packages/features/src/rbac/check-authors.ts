import type { Kube } from '@slipway/kube';
import type { Author } from '../api/author.js';
import type { Feature } from '../api/feature.js';
import type { FeatureDefinition } from '../api/feature-definition.js';
import type { Blocker } from '../lifecycle/situation.js';
import { AccessReviews, nameOfRight } from './access-reviews.js';
import { AuthorPolicyState } from './author-policy-state.js';
import type { OwnAuthor } from './own-author.js';
import type { Right } from './rights-of-step.js';

/** Says whether the feature server may use its own rights for those who wrote a definition and a Feature. */
export interface Authors {
  /** Why not: the right that an author lacks, or that the author is not vouched for. Undefined when it may. */
  blocker(rights: readonly Right[], of: Written, signal: AbortSignal): Promise<Blocker | undefined>;
}

/** The Feature says what is wanted; of several, the last writer counts. Absent: only the definition matters. */
export interface Written {
  readonly definition: FeatureDefinition;
  readonly feature?: Feature;
}

/** Has the server use its rights for everybody who may write a definition or a Feature. */
export const trustAuthors: Authors = { blocker: async () => undefined };

export interface CheckAuthorsOptions {
  readonly kube: Kube;
  /** The user that this server is: what it writes itself needs no right but its own. */
  readonly self: OwnAuthor;
  /** Whether a definition is one that the server brings, unchanged: then whoever runs the server wants it so. */
  readonly isShipped: (definition: FeatureDefinition) => boolean;
}

/**
 * Asks the API server whether the authors hold the rights themselves. An author counts only while the admission
 * policy that compares it with the user of each request is in force, and for a definition that was created since.
 */
export function checkAuthors({ kube, self, isShipped }: CheckAuthorsOptions): Authors {
  const reviews = new AccessReviews(kube);
  const policy = new AuthorPolicyState(kube);
  return {
    async blocker(rights, { definition, feature }, signal) {
      if (rights.length === 0) return undefined;
      if (!isShipped(definition)) {
        const unknown = await policy.problem(signal, definition);
        if (unknown !== undefined)
          return { reason: 'AuthorUnknown', message: `the definition has no author: ${unknown}` };
        const lacking = await lackOf(definition.author, 'the definition', rights, signal);
        if (lacking) return lacking;
      }
      if (!feature) return undefined;
      const unknown = await policy.problem(signal);
      if (unknown !== undefined) return { reason: 'AuthorUnknown', message: `the Feature has no author: ${unknown}` };
      return lackOf(feature.author, 'the Feature', rights, signal);
    },
  };

  async function lackOf(
    author: Author | undefined,
    what: string,
    rights: readonly Right[],
    signal: AbortSignal,
  ): Promise<Blocker | undefined> {
    if (!author) {
      const message = `${what} does not say who wrote it; write its spec again, with slipway or where the API server stamps it`;
      return { reason: 'AuthorUnknown', message };
    }
    if (author.username === (await self(signal))?.username) return undefined;
    const denied = await reviews.firstDenied(author, rights, signal);
    if (!denied) return undefined;
    return {
      reason: 'NotPermitted',
      message: `user ${author.username}, who wrote ${what}, may not ${nameOfRight(denied)}`,
    };
  }
}
