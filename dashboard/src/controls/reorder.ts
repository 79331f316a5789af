// A list whose items are dragged to another place by a handle. Keys and buttons do the same, so that dragging is never the only way.
//   RO1. What is dragged is known by its key, from the first event on: meanwhile items are loaded, moved and drawn again, and the
//        browser asks of every event whether something may be dropped.
import {useRef, useState} from 'preact/hooks';

export interface Reorder<Key> {
  /** Props of the element that is dragged. */
  readonly handle: (key: Key) => {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragEnd: () => void;
  };
  /** Props of the item that another one is dropped on. */
  readonly place: (key: Key) => {
    readonly 'data-drop': 'before' | 'after' | undefined;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

/** `order`: the keys of all items. `move` is called with the item that was dragged, and the place where it is to be. */
export function useReorder<Key>(order: readonly Key[], move: (key: Key, to: number) => void): Reorder<Key> {
  const newest = useRef({order, move});
  newest.current = {order, move};
  const dragged = useRef<Key>(undefined); // RO1
  const [over, setOver] = useState<Key>();
  const end = (): void => {
    dragged.current = undefined;
    setOver(undefined);
  };
  return {
    handle: (key) => ({
      draggable: true,
      onDragStart: ({dataTransfer}) => {
        dataTransfer?.setData('text/plain', String(key));
        dragged.current = key;
      },
      onDragEnd: end,
    }),
    place: (key) => ({
      'data-drop': over === key && dragged.current !== key ? sideOf(order, dragged.current, key) : undefined,
      onDragOver: (event) => {
        if (dragged.current === undefined) return; // Something from elsewhere.
        event.preventDefault();
        setOver(() => key);
      },
      onDrop: (event) => {
        const from = dragged.current;
        if (from === undefined) return;
        event.preventDefault();
        const to = newest.current.order.indexOf(key);
        if (from !== key && to >= 0) newest.current.move(from, to);
        end();
      },
    }),
  };
}

const sideOf = <Key>(order: readonly Key[], dragged: Key | undefined, over: Key): 'before' | 'after' | undefined =>
  dragged === undefined ? undefined : order.indexOf(dragged) < order.indexOf(over) ? 'after' : 'before';
