import type { ComponentChildren } from 'preact';

/** Lets content that is wider than the page scroll by itself, with the keyboard as well. */
export function Scroll({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard does not reach what scrolls
    <section class="scroll" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
