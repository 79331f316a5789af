// The pins of Overview, with what is newest beside the first one.
import {useReorder} from '../../controls/reorder';
import {pins} from '../../service/board';
import {movePin} from '../../service/board-changes';
import {NewestCard} from './newest-card';
import {Pinned, type PinnedProps} from './pinned';
import './board-row.css';

export function BoardRow(props: Omit<PinnedProps, 'pin' | 'reorder'>) {
  const reorder = useReorder(pins.value, movePin);
  const place = (pin: string, span: 6 | 8 | 12) => (
    <div key={pin} class={`pinned span-${span}`} {...reorder.place(pin)}>
      <Pinned {...props} pin={pin} reorder={reorder} />
    </div>
  );
  const [first = '', ...others] = pins.value;
  // All cards are in one list, so a pin that is moved keeps its card and its data.
  const cards = [
    place(first, 8),
    <NewestCard key="newest" />,
    ...others.map((pin) => place(pin, others.length === 1 ? 12 : 6)),
  ];
  return <div class="row">{cards}</div>;
}
