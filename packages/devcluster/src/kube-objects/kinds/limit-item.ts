/** Amounts as objects carry them. */
export type Amounts = Readonly<Record<string, string>>;

/** An item of a LimitRange, with its defaults. */
export interface LimitItem {
  readonly type: string;
  readonly max?: Amounts;
  readonly min?: Amounts;
  readonly default?: Amounts;
  readonly defaultRequest?: Amounts;
  readonly maxLimitRequestRatio?: Amounts;
}
