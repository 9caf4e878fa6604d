/** postject ships no types. */
declare module 'postject' {
  export function inject(
    path: string,
    resource: string,
    data: Buffer,
    options: { readonly sentinelFuse: string },
  ): Promise<void>;
}
