// A page's question out of the browser's address, and back: a choice is a new entry of the history, so Back undoes it.

import {useMemo, useRef} from 'preact/hooks';
import {useLocation} from 'preact-iso';
import {type Codec, codecOf, type Form, type Problem, type QuestionOf} from '../address/codec';

export interface Address<Question> {
  readonly question: Question;
  readonly problems: readonly Problem[];
  /** `replace`: no entry of the history of its own. */
  readonly ask: (changed: Partial<Question>, replace?: boolean) => void;
  /** Asks what nobody chose, without an entry of the history. What the address got wrong stays in it: nobody may have read that yet. */
  readonly suggest: (changed: Partial<Question>) => void;
}

export const useAddress = <F extends Form>(form: F): Address<QuestionOf<F>> =>
  useCodec(useMemo(() => codecOf(form), [form]));

export function useCodec<Question extends object>(codec: Codec<Question>): Address<Question> {
  const {url, path: place, route} = useLocation();
  // A page stays until the next one is loaded: it keeps its question, and writes nothing into the other's address.
  const own = useRef({place, url}).current;
  const isLeft = own.place !== place;
  if (!isLeft) own.url = url;
  const [path, search = ''] = own.url.split('#')[0]!.split(/\?(.*)/s) as [string, string?];
  const {question, problems} = useMemo(() => codec.read(search), [codec, search]);
  const go = (changed: Partial<Question>, replace: boolean, kept?: readonly Problem[]): void => {
    if (!isLeft) route(path + codec.write({...question, ...changed}, kept), replace);
  };
  return {
    question,
    problems,
    ask: (changed, replace = false) => go(changed, replace),
    suggest: (changed) => {
      const [before, after] = [question, {...question, ...changed}].map((one) => new URLSearchParams(codec.write(one)));
      const isChosen = (name: string): boolean => after!.has(name) && !before!.has(name);
      go(
        changed,
        true,
        problems.filter(({name}) => !isChosen(name)),
      );
    },
  };
}
