/** Quantities by resource name, as in `resources.requests`. */
export type ResourceList = Readonly<Record<string, string>>;
