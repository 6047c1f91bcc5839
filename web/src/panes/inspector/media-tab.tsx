// SPDX-License-Identifier: Apache-2.0
// A tensor as the picture or the sound that it is: seen in its colours, heard, and saved as a file.
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { TensorPicture } from 'tern-runtime';
import { formatCount, formatNumber } from '../../model/format.js';
import {
  mediaPixels, pictureRange, samplesOf, type SoundAxes, waveFile,
} from '../../model/tensor-media.js';
import { fetchTensor, inspector, type TensorMedia } from '../../state/inspector.js';
import { guarded } from '../../state/store.js';
import { CanvasPicture, type Surface } from '../../widgets/canvas-picture.js';
import { DataTable } from '../../widgets/data-table.js';
import { Pixels } from '../../widgets/pixels.js';
import { saveFile } from '../../widgets/save-file.js';
import { AxisSlider } from './axis-slider.js';

const kTestId = 'media-picture';

function savePicture(): void {
  const canvas = document.querySelector<HTMLCanvasElement>(`[data-testid=${kTestId}]`);
  canvas?.toBlob((blob) => void blob?.arrayBuffer().then((bytes) =>
    saveFile('tensor.png', new Uint8Array(bytes))), 'image/png');
}

function Picture({ media }: { media: Extract<TensorMedia, { tensor: unknown }> }) {
  const { axes, tensor } = media;
  const range = useMemo(() => pictureRange(tensor), [tensor]);
  const { width, height, pixels, bad } =
    useMemo(() => mediaPixels(tensor, axes, range), [tensor, range]);
  const { name, layout } = inspector.value;
  const shown = [axes.height, axes.width, axes.channels];
  const others = (layout?.shape ?? []).flatMap((extent, axis) =>
    (extent > 1 && !shown.includes(axis) ? [axis] : []));
  const size = `${width} × ${height} pixels`;
  return (
    <>
      {others.length > 0 ? (
        <div class="axis-pickers">
          {others.map((axis) => <AxisSlider key={axis} axis={axis} />)}
        </div>
      ) : null}
      <div class="media-picture">
        <Pixels
          width={width} height={height} pixels={pixels} testid={kTestId}
          ratio={Math.min(Math.max(width / height, 1 / 6), 6)}
          label={`Picture of ${name}, ${size}`}
        />
      </div>
      <p class="hint" data-testid="media-facts">
        {size}; black is {formatNumber(range.low)}, white {formatNumber(range.high)}
        {bad > 0 ? `; ${formatCount(bad, 'pixel')} with NaN or infinity` : ''}
      </p>
      <p>
        <button type="button" class="small" data-testid="media-png" onClick={savePicture}>
          Save as PNG
        </button>
      </p>
    </>
  );
}

const kHeight = 110;

/** From the lowest to the highest sample of each column; scaled to the loudest. */
function drawOutline({ context, width, colour }: Surface, { low, high }: TensorPicture): void {
  const most = Math.max(1e-30, ...low.map(Math.abs), ...high.map(Math.abs));
  const y = (value: number): number => (kHeight / 2) * (1 - value / most);
  context.fillStyle = colour('line');
  context.fillRect(0, kHeight / 2, width, 1);
  context.fillStyle = colour('accent');
  low.forEach((least, i) => {
    if (Number.isNaN(least)) return;
    const left = (width * i) / low.length;
    const top = y(high[i]!);
    context.fillRect(left, top, Math.max(width / low.length, 1), Math.max(y(least) - top, 1));
  });
}

const kRates = [8000, 16000, 22050, 24000, 44100, 48000] as const;
const rate = signal<number>(16000);
const playing = signal<AudioBufferSourceNode | undefined>(undefined);

function silence(): void {
  playing.value?.stop();
  playing.value = undefined;
}

/** The samples are fetched when they are heard or saved: the outline is all that is seen. */
async function samples(): Promise<Float32Array<ArrayBuffer> | undefined> {
  const tensor = await fetchTensor(true);
  return tensor && samplesOf(tensor);
}

function play(): Promise<void> {
  return guarded(async () => {
    const data = await samples();
    if (!data) return;
    const context = new AudioContext();
    const buffer = context.createBuffer(1, data.length, rate.value);
    buffer.copyToChannel(data, 0);
    const node = context.createBufferSource();
    node.buffer = buffer;
    node.connect(context.destination);
    node.onended = () => {
      if (playing.value === node) playing.value = undefined;
      void context.close();
    };
    playing.value = node;
    node.start();
  });
}

function saveSound(): Promise<void> {
  return guarded(async () => {
    const data = await samples();
    if (data) saveFile('tensor.wav', waveFile(data, rate.value));
  });
}

function Player() {
  // Another tensor is another sound.
  useEffect(() => silence, [inspector.value.layout]);
  return (
    <div class="media-player">
      <button
        type="button" class="small primary" data-testid="media-play"
        aria-pressed={playing.value !== undefined}
        onClick={() => (playing.value ? silence() : void play())}
      >
        {playing.value ? 'Stop' : 'Play'}
      </button>
      <label>
        at{' '}
        <select
          value={rate.value} data-testid="media-rate"
          onChange={(event) => {
            silence();
            rate.value = Number(event.currentTarget.value);
          }}
        >
          {kRates.map((each) => <option key={each} value={each}>{each} Hz</option>)}
        </select>
      </label>
      <button
        type="button" class="small" data-testid="media-wav" onClick={() => void saveSound()}
      >
        Save as WAV
      </button>
    </div>
  );
}

function Sound({ axes, outline }: { axes: SoundAxes; outline: TensorPicture }) {
  const { name, layout } = inspector.value;
  const count = layout?.shape[axes.time] ?? 0;
  const seconds = (count / rate.value).toFixed(2);
  const each = Math.ceil(count / Math.max(outline.columns, 1));
  const rows = Array.from({ length: outline.columns }, (_, i) => i);
  return (
    <>
      <CanvasPicture
        name={`Sound of ${name}, ${count} samples`} height={kHeight} of={[outline]}
        draw={(surface) => drawOutline(surface, outline)} testid="media-outline"
      />
      <p class="hint" data-testid="media-facts">
        {formatCount(count, 'sample')}, {seconds} s at {rate.value} Hz; louder than 1 is cut
      </p>
      <Player />
      <DataTable
        name="sound-table" label={`Sound of ${name}`} rows={rows}
        columns={[
          { title: 'from sample', class: 'number', value: (i) => i * each },
          { title: 'lowest', class: 'number', value: (i) => outline.low[i]!,
            cell: (i) => formatNumber(outline.low[i]!) },
          { title: 'highest', class: 'number', value: (i) => outline.high[i]!,
            cell: (i) => formatNumber(outline.high[i]!) },
        ]}
      />
    </>
  );
}

export function MediaTab() {
  const { media } = inspector.value;
  if (!media) return <p class="hint">reading…</p>;
  return 'tensor' in media ? <Picture media={media} /> : <Sound {...media} />;
}
