import type { ComponentChildren } from 'preact';

/** Scrolls content that may be wider than the page, with the keyboard as well. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard does not reach what scrolls
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
