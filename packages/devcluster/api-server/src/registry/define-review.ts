import { type Declaration, defineResource } from './define-resource.js';
import type { ResourceDefinition } from './resource-definition.js';
import type { AnswerReview } from './review.js';

/** A kind whose objects are questions: one can create them, and gets the answer back. */
export function defineReview(
  declaration: Omit<Declaration, 'columns' | 'version' | 'verbs'> & { readonly answer: AnswerReview },
): ResourceDefinition {
  const { answer, ...rest } = declaration;
  return { ...defineResource({ ...rest, version: 'v1', verbs: ['create'], columns: [] }), answer };
}
