// A list whose items are dragged to another place by a handle. Keys and buttons do the same, so that dragging is never the only way.
import {useState} from 'preact/hooks';

export interface Reorder {
  /** For the element that is dragged. */
  readonly handle: (at: number) => {
    readonly draggable: true;
    readonly onDragStart: (event: DragEvent) => void;
    readonly onDragEnd: () => void;
  };
  /** For the item that something is dropped on. */
  readonly place: (at: number) => {
    readonly 'data-drop': 'before' | 'after' | undefined;
    readonly onDragOver: (event: DragEvent) => void;
    readonly onDrop: (event: DragEvent) => void;
  };
}

export function useReorder(move: (from: number, to: number) => void): Reorder {
  const [dragged, setDragged] = useState<number>();
  const [over, setOver] = useState<number>();
  const end = (): void => {
    setDragged(undefined);
    setOver(undefined);
  };
  return {
    handle: (at) => ({
      draggable: true,
      onDragStart: ({dataTransfer}) => {
        dataTransfer?.setData('text/plain', String(at + 1));
        setDragged(at);
      },
      onDragEnd: end,
    }),
    place: (at) => ({
      'data-drop':
        dragged === undefined || over !== at || dragged === at ? undefined : dragged < at ? 'after' : 'before',
      onDragOver: (event) => {
        if (dragged === undefined) return; // Something from elsewhere.
        event.preventDefault();
        setOver(at);
      },
      onDrop: (event) => {
        event.preventDefault();
        if (dragged !== undefined && dragged !== at) move(dragged, at);
        end();
      },
    }),
  };
}
