// The explanation of a number in a dialog.
import {useEffect, useState} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {pageAddress} from '../address/base';
import {momentText} from '../charts/format';
import {Dialog} from '../controls/dialog';
import {may} from '../service/session';
import {explaining} from '../shell/explained';
import {Loading} from '../shell/states';
import type {Explanation} from './explanation';
import {PeopleBehind} from './people-behind';

const close = (): void => void (explaining.value = undefined);

export function ExplanationDialog() {
  const behind = explaining.value!;
  const [made, setMade] = useState<Explanation>();
  const {url} = useLocation();
  const [openedAt] = useState(url);
  useEffect(() => {
    let isCurrent = true;
    setMade(undefined);
    void Promise.resolve(behind()).then((made) => isCurrent && setMade(made));
    return () => {
      isCurrent = false;
    };
  }, [behind]);
  // A link in it leads to another page.
  useEffect(() => {
    if (url !== openedAt) close();
  }, [url]);
  return (
    <Dialog title={made?.title ?? 'What is behind it'} onClose={close}>
      <div class="behind">
        {made === undefined ? <Loading lines={4} /> : <Body {...made} />}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={close}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function Body({how, events, people, noPeople, freshness}: Explanation) {
  const asOf = freshness === undefined ? [] : [`Exact as of ${momentText(freshness.asOfMs)} UTC.`];
  return (
    <>
      <p>{[...how, ...asOf].join(' ')}</p>
      {events !== undefined && may('analyst') && (
        <p>
          <a class="link" href={`${pageAddress('/events')}?${events}`}>
            Show these events
          </a>
          <span class="faint"> as they are now: newer ones of these times are among them</span>
        </p>
      )}
      {(people !== undefined || noPeople !== undefined) && <h3>Who it was</h3>}
      {people !== undefined && <PeopleBehind {...people} position={freshness?.position} />}
      {noPeople !== undefined && <p class="help">{noPeople}</p>}
    </>
  );
}
