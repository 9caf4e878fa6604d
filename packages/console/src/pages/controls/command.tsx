import { useState } from 'preact/hooks';

/** A command, or what to do in words, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`Copy: ${text}`}>
        {isCopied ? 'Copied' : 'Copy'}
      </button>
    </span>
  );
}
