import { nodeFilter, permanent } from './filter.js';

/** A pod that names its node goes there. Such pods reach the scheduler only to be resized. */
export const nodeName = nodeFilter(
  'NodeName',
  ({ pod }, { name }) =>
    pod.spec.nodeName === name ? undefined : permanent("node(s) didn't match the requested node name"),
  { concerns: ({ pod }) => Boolean(pod.spec.nodeName) },
);
