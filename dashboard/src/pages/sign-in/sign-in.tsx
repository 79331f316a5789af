// Signing in: by the one-time link that the service printed, or by a token. A session that timed out leads back to the
// address they were at.
import {useEffect, useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {pageAddress} from '../../address/base';
import type {Fault} from '../../service/client';
import {readServiceState} from '../../service/service-state';
import {session, signIn} from '../../service/session';
import {Icon} from '../../shell/icon';
import './sign-in.css';

const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);
const isReadable = location.protocol === 'http:' && !isLoopback;

export function SignIn() {
  const {path, url, route} = useLocation();
  const [token, setToken] = useState('');
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const isHere = path === pageAddress('/sign-in');
  const target = isHere ? pageAddress('/') : url;

  const enter = async (way: {code: string} | {token: string}): Promise<void> => {
    setBusy(true);
    const answer = await signIn(way);
    setBusy(false);
    if (answer.kind === 'fault') return setFault(answer.fault);
    void readServiceState();
    if (isHere) route(target, true);
  };

  useEffect(() => {
    document.title = 'Sign in - Millrace';
    const code = location.hash.slice(1);
    if (code === '') return;
    history.replaceState(null, '', location.pathname); // The code is no longer anybody's to read.
    void enter({code});
  }, []);

  useEffect(() => {
    if (isHere && session.value) route(target, true);
  }, [session.value]);

  return (
    <main class="sign-in">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          void enter({token: token.trim()});
        }}
      >
        <img src={`${pageAddress('')}/mark.svg`} alt="" width="36" height="36" />
        <h1>Sign in to Millrace</h1>
        {/* Password managers keep a password by its user name. */}
        <input type="text" name="username" autocomplete="username" value="millrace" readOnly hidden />
        <label for="token">Admin token or access token</label>
        <input
          id="token"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          value={token}
          aria-describedby="token-help"
          aria-invalid={fault !== undefined}
          onInput={({currentTarget}) => setToken(currentTarget.value)}
        />
        {fault !== undefined && (
          <p class="wrong" role="alert">
            <Icon name="warning" />
            {wordsOf(fault)}
          </p>
        )}
        <button type="submit" class="button primary" disabled={isBusy || token.trim() === ''}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
        <p id="token-help" class="help">
          The admin token is in the file <code>admin-token</code> of <code>DATA_DIR</code>, or in{' '}
          <code>ADMIN_TOKEN</code>. On the machine of the service, <code>npm run dashboard</code>, with the{' '}
          <code>DATA_DIR</code> of this service, prints a link that signs in.
        </p>
        {isReadable && (
          <p class="warning" role="note">
            <Icon name="warning" />
            This connection is not encrypted: the network can read your session. Put a proxy with TLS in front, and list
            it in <code>TRUSTED_PROXIES</code>.
          </p>
        )}
      </form>
    </main>
  );
}

function wordsOf({code, message, retryAfter}: Fault): string {
  if (code === 'rate_limited') return `Too many tries. Try again in ${retryAfter ?? 60} s.`;
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
