import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { type Labels, matchesLabels, parseLabelSelector as parse, SelectorError } from '@slipway/kube';

/** Whether the labels of an object are selected. */
export type LabelSelector = (labels: Labels) => boolean;

/**
 * Reads the label selector of a query. Undefined for an empty one, which selects all.
 *
 * @throws StatusError BadRequest.
 */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  if (text === '') return undefined;
  try {
    const requirements = parse(text);
    return requirements.length === 0 ? undefined : (labels) => matchesLabels(requirements, labels);
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message) : error;
  }
}
