// The time from the first step to the last one that counts as a conversion. None means none.
import {useState} from 'preact/hooks';
import {isWindow} from '../../../../src/asks/address.js';
import {windowText} from '../../charts/format';
import './window-control.css';

const presets = ['1h', '1d', '7d', '14d', '30d'] as const;
export function WindowControl({
  window,
  onChange,
}: {
  readonly window: string | undefined;
  readonly onChange: (window: string | undefined) => void;
}) {
  const isOwn = window !== undefined && !presets.includes(window as '1h');
  const [isTyping, setTyping] = useState(false);
  const [text, setText] = useState(window ?? '');
  const isWrong = text !== '' && !isWindow(text);
  return (
    <form
      class="window-control"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWindow(text)) onChange(text);
      }}
    >
      <label for="funnel-window">Window from the first step</label>
      <select
        id="funnel-window"
        value={isTyping || isOwn ? 'own' : (window ?? 'none')}
        onChange={({currentTarget: {value}}) => {
          setTyping(value === 'own');
          if (value !== 'own') onChange(value === 'none' ? undefined : value);
        }}
      >
        <option value="none">None</option>
        {presets.map((preset) => (
          <option key={preset} value={preset}>
            {windowText(preset)}
          </option>
        ))}
        <option value="own">Another</option>
      </select>
      {(isTyping || isOwn) && (
        <span class="with-button">
          <input
            aria-label="Window, such as 30m, 12h or 3d"
            placeholder="30m, 12h, 3d"
            autocomplete="off"
            value={text}
            aria-invalid={isWrong}
            onInput={({currentTarget}) => setText(currentTarget.value)}
          />
          <button type="submit" class="button" disabled={!isWindow(text)}>
            Use
          </button>
        </span>
      )}
    </form>
  );
}
