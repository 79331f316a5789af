// A dialog with a secret that is shown once. Escape asks first whether it is stored, and closes the second time.
import {useState} from 'preact/hooks';
import {Dialog} from './dialog';
import {ShownOnce} from './shown-once';

export function SecretDialog({
  title,
  secret,
  label,
  snippet,
  onClose,
}: {
  readonly title: string;
  readonly secret: string;
  readonly label: string;
  readonly snippet?: string;
  readonly onClose: () => void;
}) {
  const [isAsked, setAsked] = useState(false);
  const mayClose = (): boolean => {
    setAsked(true);
    return isAsked;
  };
  return (
    <Dialog title={title} onClose={onClose} mayClose={mayClose}>
      <ShownOnce secret={secret} label={label} {...(snippet === undefined ? {} : {snippet})} />
      {isAsked && (
        <p class="shown-once-asked" role="alert">
          Is it stored? Once this is closed nobody can show it again.
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button primary" onClick={onClose}>
          I have stored it
        </button>
      </div>
    </Dialog>
  );
}
