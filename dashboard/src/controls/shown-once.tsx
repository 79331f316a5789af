// A secret that is shown once: in a field that selects itself, until the person says that it is stored.
import {useEffect, useRef} from 'preact/hooks';
import {ApiAddressNote} from './api-address-note';
import {CopyButton} from './copy-button';
import './shown-once.css';

export function ShownOnce({
  secret,
  label,
  snippet,
}: {
  readonly secret: string;
  readonly label: string;
  readonly snippet?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), [secret]);
  return (
    <div class="shown-once">
      <label for="shown-once">{label}</label>
      <div class="with-button">
        <input
          id="shown-once"
          ref={field}
          class="mono"
          readOnly
          value={secret}
          autocomplete="off"
          onFocus={({currentTarget}) => currentTarget.select()}
        />
        <CopyButton text={secret} what="Copy the key" />
      </div>
      <p class="help">It is shown now and never again. Store it where your other secrets are.</p>
      {snippet !== undefined && (
        <>
          <div class="snippet-head">
            <span>Try it</span>
            <CopyButton text={snippet} what="Copy the command" />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
          <pre class="snippet" tabIndex={0}>
            {snippet}
          </pre>
          <ApiAddressNote />
        </>
      )}
    </div>
  );
}
