import { useEffect, useRef } from "react";

export interface Stop {
  lat: number;
  lon: number;
  label: string;
  done: boolean;
}

interface Props {
  stops: Stop[];
  width: number;
  height: number;
}

export interface Viewport {
  centerLat: number;
  centerLon: number;
  zoom: number;
}

const TILE = 256;
const MAX_ZOOM = 17;
const PADDING = 24;

function worldX(lon: number): number {
  return (lon + 180) / 360;
}

function worldY(lat: number): number {
  const sin = Math.sin((lat * Math.PI) / 180);
  return 0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI);
}

/** The closest view of the map on which all stops can be seen. */
export function fitStops(stops: Stop[], width: number, height: number): Viewport {
  if (stops.length === 0) return { centerLat: 51.45, centerLon: -2.59, zoom: 6 };
  const xs = stops.map((stop) => worldX(stop.lon));
  const ys = stops.map((stop) => worldY(stop.lat));
  const spanX = Math.max(...xs) - Math.min(...xs);
  const spanY = Math.max(...ys) - Math.min(...ys);
  let zoom = MAX_ZOOM;
  while (zoom > 1) {
    const scale = TILE * 2 ** zoom;
    if (spanX * scale <= width - 2 * PADDING && spanY * scale <= height - 2 * PADDING) break;
    zoom -= 1;
  }
  const lats = stops.map((stop) => stop.lat);
  const lons = stops.map((stop) => stop.lon);
  return {
    centerLat: (Math.max(...lats) + Math.min(...lats)) / 2,
    centerLon: (Math.max(...lons) + Math.min(...lons)) / 2,
    zoom,
  };
}

export function TrackingMap({ stops, width, height }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    const view = fitStops(stops, width, height);
    const scale = TILE * 2 ** view.zoom;
    context.clearRect(0, 0, width, height);
    for (const stop of stops) {
      const x = (worldX(stop.lon) - worldX(view.centerLon)) * scale + width / 2;
      const y = (worldY(stop.lat) - worldY(view.centerLat)) * scale + height / 2;
      context.beginPath();
      context.arc(x, y, 5, 0, 2 * Math.PI);
      context.fillStyle = stop.done ? "#8aa39b" : "#d1495b";
      context.fill();
      context.fillText(stop.label, x + 8, y + 4);
    }
  }, [stops, width, height]);

  return <canvas ref={canvas} width={width} height={height} aria-label="Map of the stops" />;
}
