// What is wrong with the address of a pin: parts that these pages do not know, or no event at all.
import type {Problem} from '../address/codec';
import {Icon} from '../shell/icon';
import {Empty} from '../shell/states';

/** Parts of a pin that another version of the pages wrote. */
export function Lost({problems}: {readonly problems: readonly Problem[]}) {
  if (problems.length === 0) return null;
  return (
    <p class="not-renewed" role="status">
      <Icon name="warning" />
      Not part of this any more: {problems.map(({name, text}) => `${name}=${text}`).join(', ')}. Pin the report again.
    </p>
  );
}

export const NoEventNamed = () => (
  <Empty title="It names no event">Choose one on the page of the report, and pin it again.</Empty>
);
