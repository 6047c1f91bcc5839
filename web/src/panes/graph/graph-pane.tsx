// SPDX-License-Identifier: Apache-2.0
// The graph of an imported model: what its file says, linked with the instructions made of it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { formatCount } from '../../model/format.js';
import { type Box, type DrawnGraph, searchBoxes } from '../../model/model-graph.js';
import {
  followGraph, graph, graphProblem, hoverBox, pinBox, places, selectedBox,
} from '../../state/graph.js';
import { linkIndex } from '../../state/links.js';
import { pin } from '../../state/selection.js';
import '../../style/debug.css';
import '../../style/graph.css';
import { type Column, DataTable } from '../../widgets/data-table.js';
import { Pane } from '../pane.js';
import { GraphCanvas } from './graph-canvas.js';
import type { GraphView } from './graph-view.js';

/** Rows of the table; of more, the search picks. */
const kMostRows = 500;

function Values({ of: { constants }, title, values }: {
  of: DrawnGraph; title: string;
  values: readonly { readonly name: string; readonly type: string }[];
}) {
  if (values.length === 0) return null;
  return (
    <>
      <dt>{title}</dt>
      <dd>
        {values.map(({ name, type }, i) => (
          <span key={i} class="value">
            <b>{name === '' ? '(left out)' : name}</b> {type || constants.get(name) || ''}
            {constants.has(name) ? ' constant' : ''}
          </span>
        ))}
      </dd>
    </>
  );
}

/** Instructions that were made from the node, which lead there. */
function Instructions({ name }: { name: string }) {
  const pcs = [...linkIndex.value.of({ kind: 'node', name }).pcs];
  if (pcs.length === 0)
    return <dd>none of its own: computed before the run, or within another node</dd>;
  return (
    <dd>
      {pcs.map((pc) => (
        <button
          key={pc} type="button" class="link" data-testid={`graph-pc-${pc}`}
          onClick={() => pin({ kind: 'pc', pc })}
        >
          pc {pc}
        </button>
      ))}
    </dd>
  );
}

function Detail({ of, box }: { of: DrawnGraph; box: number }) {
  const { kind, title, detail, node } = of.boxes[box]!;
  // The file says types where values are made, so those that are read are looked up on the lines
  // that bring them.
  const typeOf = new Map(of.into[box]!.flatMap((line) => of.lines[line]!.values)
    .map(({ name, type }) => [name, type]));
  return (
    <section class="graph-detail" aria-label="The box at hand" data-testid="graph-detail">
      <p role="status">
        <b>{title}</b> <span class="detail">{node ? detail : `${kind} ${detail}`}</span>
      </p>
      {node ? (
        <dl>
          <Values of={of} title="reads" values={
            node.inputs.map((name) => ({ name, type: typeOf.get(name) ?? '' }))} />
          <Values of={of} title="gives" values={node.outputs} />
          {node.attributes.map(({ name, value }) => (
            <><dt>{name}</dt><dd class="attribute">{value}</dd></>
          ))}
          <dt>instructions</dt>
          <Instructions name={node.name} />
        </dl>
      ) : null}
    </section>
  );
}

/** Boxes without a node, such as inputs, have their kind before their name. */
function columnsOf({ boxes }: DrawnGraph): readonly Column<number>[] {
  const nameOf = (index: number): string => {
    const { kind, title, node } = boxes[index]!;
    return node ? title : `${kind} ${title}`;
  };
  const givenBy = (index: number): string => {
    const { detail, node } = boxes[index]!;
    return node ? node.outputs.map(({ name, type }) => `${name}: ${type}`).join(', ') : detail;
  };
  return [
    { title: 'box', value: nameOf, cell: (index) => (boxes[index]!.node ? (
      <button
        type="button" class="link" aria-pressed={index === selectedBox.value}
        onClick={() => pinBox(index)}
      >
        {nameOf(index)}
      </button>
    ) : nameOf(index)) },
    { title: 'name', value: (index) => (boxes[index]!.node ? boxes[index]!.detail : '') },
    { title: 'reads', class: 'wide', value: (index) => boxes[index]!.node?.inputs.join(', ') },
    { title: 'gives', class: 'wide', value: givenBy },
    { title: 'attributes', class: 'wide', value: (index) =>
      boxes[index]!.node?.attributes.map(({ name, value }) => `${name}=${value}`).join(' ') },
  ];
}

function Table({ of, found }: { of: DrawnGraph; found: readonly number[] | undefined }) {
  return (
    <DataTable
      name="graph-table" label="The graph as a table" class="facts" columns={columnsOf(of)}
      rows={found ?? of.boxes.map((_: Box, i) => i)} most={kMostRows}
      row={(index) => ({
        class: index === selectedBox.value ? 'picked' : '', 'data-row-id': index,
      })}
    />
  );
}

interface SearchProps {
  query: string;
  found: readonly number[];
  cursor: number | undefined;
  onQuery: (query: string) => void;
  onCursor: (box: number) => void;
}

function Search({ query, found, cursor, onQuery, onCursor }: SearchProps) {
  const at = cursor === undefined ? -1 : found.indexOf(cursor);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || found.length === 0) return;
    event.preventDefault();
    // Enter goes on to the next, Shift+Enter back, around the ends.
    const next = (at + (event.shiftKey ? -1 : 1) + found.length) % found.length;
    onCursor(found[at < 0 && event.shiftKey ? found.length - 1 : next]!);
  };
  return (
    <>
      <input
        type="search" value={query} placeholder="Search" aria-label="Search the graph"
        data-testid="graph-search" onKeyDown={onKeyDown}
        onInput={(event) => onQuery(event.currentTarget.value)}
      />
      {query.trim() === '' ? null : (
        <span class="detail" role="status" data-testid="graph-found">
          {at >= 0 ? `${at + 1} of ${found.length}` : `${found.length} found`}
        </span>
      )}
    </>
  );
}

/** Why there is nothing to be seen, or not all yet. */
function Hint() {
  const made = graph.value;
  if (graphProblem.value) return <p role="alert" class="padded">{graphProblem.value}</p>;
  if (!made) return <p class="hint padded">Of ONNX models: the graph as the file has it.</p>;
  // Places come in parts, and this tells how far laying out is.
  const placed = places.value?.placed ?? 0;
  if (placed === made.boxes.length) return null;
  return (
    <p class="hint padded" role="status">
      Laying out: {placed} of {formatCount(made.boxes.length, 'box', 'boxes')}
    </p>
  );
}

export function GraphPane() {
  useEffect(followGraph, []);
  const [query, setQuery] = useState('');
  const [asTable, setAsTable] = useState(false);
  const [cursor, setCursor] = useState<number | undefined>();
  const view = useRef<GraphView | undefined>(undefined);
  const made = graph.value;
  const placed = places.value;
  const picked = selectedBox.value;
  useEffect(() => {
    setCursor(undefined);
    setQuery('');
  }, [made]);
  const found = useMemo(() => (made ? searchBoxes(made.boxes, query) : []), [made, query]);
  const marked = useMemo(() => new Set(found), [found]);
  const moveTo = (box: number): void => {
    setCursor(box);
    hoverBox(box);
  };
  const shown = picked ?? cursor;
  const nodes = made ? made.boxes.filter(({ kind }) => kind === 'node').length : 0;
  return (
    <Pane
      id="graph" title="Graph" note={made ? formatCount(nodes, 'node') : undefined}
      tools={made ? (
        <>
          <Search
            query={query} found={found} cursor={cursor} onQuery={setQuery} onCursor={moveTo}
          />
          {asTable ? null : (
            <>
              <button type="button" class="small" aria-label="Closer"
                onClick={() => view.current?.zoom(1.25)}>+</button>
              <button type="button" class="small" aria-label="Further"
                onClick={() => view.current?.zoom(0.8)}>−</button>
              <button type="button" class="small" data-testid="graph-whole"
                onClick={() => view.current?.whole()}>All</button>
            </>
          )}
          <button type="button" class="small" aria-pressed={asTable} data-testid="graph-as-table"
            onClick={() => setAsTable(!asTable)}>Table</button>
        </>
      ) : undefined}
    >
      <Hint />
      {made && asTable ? (
        <Table of={made} found={query.trim() === '' ? undefined : found} />
      ) : null}
      {made && placed && !asTable && !graphProblem.value ? (
        <div class="graph-body">
          <GraphCanvas
            graph={made} places={placed} picked={picked} cursor={cursor} found={marked}
            onCursor={moveTo} view={view}
          />
          {shown !== undefined && made.boxes[shown] ? <Detail of={made} box={shown} /> : null}
        </div>
      ) : null}
    </Pane>
  );
}
