// The first page while nothing was sent yet: how to send an event, and what becomes of it, as it happens.

import {useEffect, useState} from 'preact/hooks';
import type {CreatedKey} from '../../../../src/edge/answers/keys.js';
import {ApiAddressNote} from '../../controls/api-address-note';
import {CopyButton} from '../../controls/copy-button';
import {Snippet} from '../../controls/snippet';
import {lookForEvents} from '../../service/any-events';
import {apiAddress, isApiHere} from '../../service/api-address';
import {change, type Fault} from '../../service/client';
import {sendEvent} from '../../service/send-event';
import {may} from '../../service/session';
import {Card} from '../../shell/card';
import {Head} from '../../shell/head';
import {Icon} from '../../shell/icon';
import {FaultBox} from '../../shell/states';
import './first-event.css';
import {librariesFor} from './libraries';
import {Progress} from './progress';
import {noKey, snippetsFor} from './snippets';

const importCommand = 'npm run import -- events.ndjson.gz';
const demoCommand = 'npm run demo';

export function FirstEvent() {
  /** The new key lives as long as this page. */
  const [key, setKey] = useState<string>();
  /** Name of the snippet that is shown. */
  const [shown, setShown] = useState('curl');
  const [fault, setFault] = useState<Fault>();
  const [isBusy, setBusy] = useState(false);
  const snippets = snippetsFor(apiAddress.value, key ?? noKey);
  const libraries = librariesFor(apiAddress.value, key ?? noKey);
  const {name, text} = [...snippets, ...libraries].find((one) => one.name === shown)!;
  const isLibrary = libraries.some((one) => one.name === name);
  useEffect(() => () => void lookForEvents(), []);

  const makeKey = async (): Promise<string | undefined> => {
    setFault(undefined);
    const answer = await change<CreatedKey>('POST', 'keys', {kind: 'write', name: 'first steps'});
    if (answer.kind === 'fault') setFault(answer.fault);
    else setKey(answer.value.key);
    return answer.kind === 'value' ? answer.value.key : undefined;
  };
  const sendFromHere = async (): Promise<void> => {
    setBusy(true);
    const used = key ?? (await makeKey());
    if (used !== undefined) {
      const event = {event: 'first_event', userId: 'you', properties: {from: 'dashboard'}};
      const answer = await sendEvent(used, event);
      setFault(answer.kind === 'fault' ? answer.fault : undefined);
    }
    setBusy(false);
  };

  return (
    <>
      <Head title="First event" />
      <div class="row">
        <Card span={7} title="Send it" note="from anywhere that can reach this address">
          <div class="first-body">
            <fieldset class="choice">
              <legend class="visually-hidden">From</legend>
              {snippets.map((snippet) => (
                <button
                  key={snippet.name}
                  type="button"
                  aria-pressed={snippet.name === name}
                  onClick={() => setShown(snippet.name)}
                >
                  {snippet.name}
                </button>
              ))}
            </fieldset>
            <label class="first-library">
              I already use
              <select
                value={isLibrary ? name : ''}
                onChange={({currentTarget}) => setShown(currentTarget.value || 'curl')}
              >
                <option value="">no other service</option>
                {libraries.map((library) => (
                  <option key={library.name} value={library.name}>
                    {library.name}
                  </option>
                ))}
              </select>
            </label>
            <Snippet label={`Snippet for ${name}`} text={text} />
            {isLibrary && (
              <p class="help">
                Change these lines where your code starts the library; its calls stay as they are. The first one that
                arrives shows here. docs/clients.md of Millrace says what each call becomes.
              </p>
            )}
            <ApiAddressNote />
            <div class="buttons">
              <CopyButton text={text} what={`Copy the snippet for ${name}`} />
              {may('admin') && key === undefined && (
                <button type="button" class="button primary" disabled={isBusy} onClick={() => void makeKey()}>
                  <Icon name="key" />
                  Put a fresh write key in
                </button>
              )}
              {may('admin') && isApiHere.value && (
                <button type="button" class="button" disabled={isBusy} onClick={() => void sendFromHere()}>
                  <Icon name="bolt" />
                  Send one from here
                </button>
              )}
            </div>
            <p class="help">
              {key !== undefined
                ? 'The key is called "first steps". It can only send, it may stand in a web page, and it is shown while this page is open.'
                : may('admin')
                  ? 'A write key can only send events. Any of yours does it, too.'
                  : 'Only an admin can make a key: ask for a write key, and put it in.'}
            </p>
            {fault !== undefined && <FaultBox fault={fault} />}
          </div>
        </Card>
        <Progress />
      </div>
      <div class="row">
        <Card span={6} title="There is a file of events already" note="NDJSON, gzip or not">
          <Command text={importCommand} />
        </Card>
        <Card span={6} title="Only looking around" note="a shop with 30 days of visits, which goes on live">
          <Command text={demoCommand} />
        </Card>
      </div>
    </>
  );
}

function Command({text}: {readonly text: string}) {
  return (
    <div class="first-command">
      <code>{text}</code>
      <CopyButton text={text} what={`Copy ${text}`} />
    </div>
  );
}
