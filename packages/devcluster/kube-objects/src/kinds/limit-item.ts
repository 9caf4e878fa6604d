import type { ResourceList } from './resource-list.js';
/** An item of a LimitRange, with its defaults. */
export interface LimitItem {
  readonly type: string;
  readonly max?: ResourceList;
  readonly min?: ResourceList;
  readonly default?: ResourceList;
  readonly defaultRequest?: ResourceList;
  readonly maxLimitRequestRatio?: ResourceList;
}
