//! Log rows as values: header, changes, columns. A body that is not what packing its own changes gives travels as it is.

use super::Frame;
use super::memory::{Cell, Followed, mix};
use super::range::{Coder, Prob, Writer};
use super::values::{Actual, Place, Values};
use crate::frame::{Body, Changes, DecodeError, Hash, Header, Kind, Op, OpKind, Ops, Value};
use crate::{Hlc, Millis, Uuid};
use std::sync::LazyLock;

/// A change's table, kind and columns; most repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shape {
    table: u16,
    kind: OpKind,
    saw: bool,
    columns: Vec<u8>,
    /// Their places, the key's first where it is not among them.
    places: Vec<usize>,
    /// The column that is told before the others.
    first: Option<usize>,
}

/// Everything that both ends remember of a body.
#[derive(Debug, Clone, Default)]
pub(super) struct Model {
    values: Values,
    shapes: Vec<Shape>,
    bits: [Prob; 8],
    /// The columns of each table that were ever changed, by table.
    changed: Vec<[u64; 4]>,
    last: Option<Header>,
    /// The cells of the row that is told.
    row: Vec<(usize, Cell)>,
}

/// Names of the columns of headers and shapes.
const HEADER: u64 = 1 << 42;
const SHAPE: u64 = HEADER + 16;

/// What [`Model::primed`] has seen: a body of plain blocks. Part of the form of a block: it never changes.
const TRADE: &[u8] = include_bytes!("trade.bin");

/// Bytes from which on zstd is worth its own.
const LONG: usize = 512;

/// Tables whose changed columns are remembered.
const TABLES: usize = 256;

impl Model {
    /// As both ends begin a body: it has seen some hours of trade of the sample restaurant, so that the first order of a body is
    /// not the first it ever sees.
    pub(super) fn primed() -> Model {
        static PRIMED: LazyLock<Model> = LazyLock::new(|| {
            let mut model = Model::default();
            model.values.followed = Followed::small();
            let trade = super::decode(TRADE, usize::MAX).map(|(trade, _)| trade);
            let mut previous = Hash::START;
            for frame in trade.iter().flat_map(|trade| &trade.frames) {
                // Told to nobody: what counts is what is remembered.
                let told = model.frame(&mut Writer::new(), Some(frame), previous, usize::MAX);
                previous = told.map_or(previous, |frame| frame.hash);
            }
            model.values.followed.open();
            model
        });
        PRIMED.clone()
    }

    /// Before each block: forgets everything when it has become too much.
    pub(super) fn begin(&mut self) {
        if self.values.is_full() {
            *self = Model::primed();
        }
    }

    /// Writes or reads one row that follows `previous`. `room`: the most bytes its body may take.
    pub(super) fn frame<C: Coder>(
        &mut self,
        coder: &mut C,
        frame: Option<&Frame>,
        previous: Hash,
        room: usize,
    ) -> Result<Frame, DecodeError> {
        self.values.room = room;
        let mut header = self.header(coder, frame.map(|frame| &frame.header))?;
        let body = frame.map_or(&[][..], |frame| &frame.body);
        let start = Body::changes_at(header.kind, body).unwrap_or(body.len());
        let (head, changes) = body.split_at(start.min(body.len()));
        let is_packed = match frame {
            Some(_) => repacks(changes),
            None => false,
        };
        let is_packed = coder.bit(is_packed, &mut self.bits[0]);
        let (head, changes) = if is_packed { (head, changes) } else { (body, &[][..]) };
        let mut read = self.head(coder, head, room)?;
        let mut count = 0;
        if is_packed {
            let packed;
            (packed, count) = self.changes(coder, changes, room)?;
            read.extend_from_slice(packed.bytes());
        }
        let more = frame.map_or(0, |frame| i64::from(frame.header.count)) - count;
        header.count = small(count.wrapping_add(self.number(coder, 6, more)?))?;
        if let Some(frame) = frame {
            return Ok(frame.clone());
        }
        let hash = previous.next(&header, &read);
        Ok(Frame { header, body: read, hash })
    }

    /// What stands before the changes of a body, or all of it: as it is, or where it is long under zstd.
    fn head<C: Coder>(&mut self, coder: &mut C, head: &[u8], room: usize) -> Result<Vec<u8>, DecodeError> {
        let length = self.number(coder, 8, head.len() as i64)?.cast_unsigned();
        let length = usize::try_from(length).ok().filter(|length| *length <= room);
        let length = length.ok_or(DecodeError("a body is too large"))?;
        if length <= LONG {
            return self.values.bytes(coder, head, length);
        }
        let zipped = if C::WRITES { zstd::bulk::compress(head, 9) } else { Ok(Vec::new()) };
        let zipped = zipped.map_err(|_| DecodeError("compression failed"))?;
        let size = self.number(coder, 9, zipped.len() as i64)?.cast_unsigned();
        let size = usize::try_from(size).ok().filter(|size| *size <= length.saturating_add(LONG));
        let zipped = self.values.bytes(coder, &zipped, size.ok_or(DecodeError("a body is too large"))?)?;
        let read = zstd::bulk::decompress(&zipped, length);
        read.ok().filter(|read| read.len() == length).ok_or(DecodeError("a body cannot be decompressed"))
    }

    fn header<C: Coder>(&mut self, coder: &mut C, actual: Option<&Header>) -> Result<Header, DecodeError> {
        let last = self.last;
        let actual = actual.copied().unwrap_or(Header {
            seq: 0,
            epoch: Uuid::nil(),
            kind: Kind::Data,
            hlc: Hlc::ZERO,
            wall: Millis::new(0),
            schema: 0,
            count: 0,
        });
        self.values.anchor = 0;
        let wall = Millis::new(self.number(coder, 0, actual.wall.get())?);
        let tick = last.map_or(Hlc::ZERO, |last| last.hlc).tick(wall).get();
        let hlc = Hlc::new(tick.wrapping_add(self.number(coder, 1, actual.hlc.get().wrapping_sub(tick))?));
        let kind = Kind::from_number(self.number(coder, 2, actual.kind as i64)?)?;
        let after = last.map_or(0, |last| last.seq).wrapping_add(1);
        let seq = after.wrapping_add(self.number(coder, 3, actual.seq.wrapping_sub(after))?);
        let place = Place { column: self.values.column(HEADER + 4), ..Place::default() };
        let Cell::Id(epoch) = self.values.value(coder, place, Actual::Cell(Cell::Id(actual.epoch)))? else {
            return Err(DecodeError("an epoch of something else"));
        };
        let schema = small(self.number(coder, 5, actual.schema.into())?)?;
        self.values.wall = wall.get();
        let header = Header { seq, epoch, kind, hlc, wall, schema, count: 0 };
        self.last = Some(header);
        Ok(header)
    }

    /// A number that belongs to no table.
    pub(super) fn number<C: Coder>(
        &mut self,
        coder: &mut C,
        which: u64,
        actual: i64,
    ) -> Result<i64, DecodeError> {
        let place = Place { column: self.values.column(HEADER + which), ..Place::default() };
        match self.values.value(coder, place, Actual::Cell(Cell::Int(actual)))? {
            Cell::Int(number) => Ok(number),
            _ => Err(DecodeError("a number of something else")),
        }
    }

    fn changes<C: Coder>(
        &mut self,
        coder: &mut C,
        changes: &[u8],
        room: usize,
    ) -> Result<(Changes, i64), DecodeError> {
        let mut ops = Ops::of(changes);
        let mut packed = Changes::default();
        let mut count = 0;
        loop {
            let op = ops.next().transpose()?;
            let Some(shape) = self.shape(coder, op.as_ref())? else { return Ok((packed, count)) };
            self.op(coder, shape, op.as_ref())?;
            let Some(shape) = self.shapes.get(shape) else { return Ok((packed, count)) };
            count += 1;
            if C::WRITES {
                continue;
            }
            let values = &self.values.texts;
            let value = |cell: &Cell| match *cell {
                Cell::Null => Value::Null,
                Cell::Int(integer) => Value::Integer(integer),
                Cell::Real(bits) => Value::Real(f64::from_bits(bits)),
                Cell::Text(place) => Value::Text(values.text(place)),
                Cell::Id(id) => Value::Id(id),
                Cell::Blob(place) => Value::Blob(values.blob(place)),
            };
            let mut cells = self.row.iter();
            let key = if shape.kind == OpKind::Insert { None } else { cells.next() };
            let saw = if shape.saw { cells.next() } else { None };
            packed.push(&Op {
                table: shape.table,
                kind: shape.kind,
                key: key.map_or(Value::Null, |(_, cell)| value(cell)),
                saw: saw.and_then(|(_, cell)| if let Cell::Int(saw) = cell { Some(*saw) } else { None }),
                columns: cells.map(|(column, cell)| (*column, value(cell))).collect(),
            });
            if packed.bytes().len() > room {
                return Err(DecodeError("a body is too large"));
            }
        }
    }

    /// The shape of the next change; none: there is none.
    fn shape<C: Coder>(&mut self, coder: &mut C, op: Option<&Op<'_>>) -> Result<Option<usize>, DecodeError> {
        let known = op.map(|op| {
            let is_it = |shape: &Shape| {
                shape.table == op.table
                    && shape.kind == op.kind
                    && shape.saw == op.saw.is_some()
                    && shape.columns.len() == op.columns.len()
                    && shape
                        .columns
                        .iter()
                        .zip(&op.columns)
                        .all(|(one, (other, _))| usize::from(*one) == *other)
            };
            self.shapes.iter().position(is_it).unwrap_or(self.shapes.len()) as i64 + 1
        });
        self.values.anchor = 0;
        let which = self.number(coder, 16, known.unwrap_or(0))?;
        let Ok(which) = usize::try_from(which.wrapping_sub(1)) else { return Ok(None) };
        if which > self.shapes.len() {
            return Err(DecodeError("no such shape"));
        }
        if which == self.shapes.len() {
            let shape = self.new_shape(coder, op)?;
            self.shapes.push(shape);
        }
        Ok(Some(which))
    }

    fn new_shape<C: Coder>(&mut self, coder: &mut C, op: Option<&Op<'_>>) -> Result<Shape, DecodeError> {
        let kind = match op.map(|op| op.kind) {
            Some(OpKind::Update) => 1,
            Some(OpKind::Delete) => 2,
            _ => 0,
        };
        let table = coder.raw(op.map_or(0, |op| op.table).into(), 16) as u16;
        let kind =
            [OpKind::Insert, OpKind::Update, OpKind::Delete, OpKind::Delete][coder.raw(kind, 2) as usize];
        let saw = coder.raw(op.is_some_and(|op| op.saw.is_some()).into(), 1) == 1;
        let mut columns = Vec::new();
        if kind != OpKind::Delete {
            let count = coder.raw(op.map_or(0, |op| op.columns.len() as u64), 9);
            let mut from = 0;
            for at in 0..count as usize {
                let column = op.and_then(|op| op.columns.get(at)).map_or(0, |(column, _)| *column as u64);
                from += coder.raw(column.saturating_sub(from), 8);
                columns.push(u8::try_from(from).map_err(|_| DecodeError("a column number is too large"))?);
                from += 1;
            }
        }
        if saw && kind == OpKind::Insert || coder.is_over() {
            return Err(DecodeError("no such shape"));
        }
        let name = |column: u64| {
            SHAPE + (u64::from(table) << 12 | column << 1 | u64::from(kind != OpKind::Insert)) + 16
        };
        let mut places = Vec::new();
        if kind != OpKind::Insert {
            places.push(self.values.column(name(512)));
        }
        if saw {
            places.push(self.values.column(name(513)));
        }
        places.extend(columns.iter().map(|column| self.values.column(name(u64::from(*column)))));
        if kind == OpKind::Update {
            let table = usize::from(table);
            if table < TABLES && self.changed.len() <= table {
                self.changed.resize(table + 1, [0; 4]);
            }
            if let Some(changed) = self.changed.get_mut(table) {
                columns.iter().for_each(|column| changed[usize::from(*column >> 6)] |= 1 << (column & 63));
            }
        }
        let first = super::rules::first(table, kind)
            .and_then(|first| columns.iter().position(|column| *column == first));
        Ok(Shape { table, kind, saw, columns, places, first })
    }

    fn op<C: Coder>(&mut self, coder: &mut C, shape: usize, op: Option<&Op<'_>>) -> Result<(), DecodeError> {
        self.row.clear();
        let Some(shape) = self.shapes.get(shape) else { return Ok(()) };
        let (values, row) = (&mut self.values, &mut self.row);
        let changed = self.changed.get(usize::from(shape.table)).copied().unwrap_or_default();
        let mut places = shape.places.iter();
        let mut key = Cell::Null;
        let table = u64::from(shape.table);
        values.anchor = 0;
        values.is_update = shape.kind != OpKind::Insert;
        values.theme = (0, values.theme.0);
        if shape.kind != OpKind::Insert {
            let place = Place { column: places.next().copied().unwrap_or(0), ..Place::default() };
            key = tell(values, coder, place, op.map(|op| op.key))?;
            row.push((0, key));
            values.anchor = 0;
        }
        if shape.saw {
            let place = Place {
                column: places.next().copied().unwrap_or(0),
                cell: mix(mix(table, 600), key.mark()),
                ..Place::default()
            };
            let saw = op.and_then(|op| op.saw).map(Value::Integer);
            let saw = tell(values, coder, place, saw)?;
            if !matches!(saw, Cell::Int(_)) {
                return Err(DecodeError("a version of something else"));
            }
            row.push((0, saw));
        }
        let places: Vec<usize> = places.copied().collect();
        let start = row.len();
        row.resize(start + places.len(), (0, Cell::Null));
        for at in shape.first.into_iter().chain((0..places.len()).filter(|at| Some(*at) != shape.first)) {
            let (Some(column), Some(place)) = (shape.columns.get(at), places.get(at)) else { continue };
            let column = usize::from(*column);
            let is_key = column == 0 && shape.kind == OpKind::Insert;
            let is_changed = changed[column >> 6] >> (column & 63) & 1 == 1;
            let cell = if is_changed && !is_key { mix(mix(table, column as u64), key.mark()) | 1 } else { 0 };
            let rule = super::rules::expected(values, shape.table, column, row);
            let place = Place { column: *place, rule, cell, is_key };
            let value = op.and_then(|op| op.columns.get(at)).map(|(_, value)| *value);
            let before = values.last(place.column);
            let cell = tell(values, coder, place, value)?;
            if is_key {
                key = cell;
                values.follow(before, cell);
            }
            super::rules::learn(values, shape.table, column, cell, key, row);
            if Some(at) == shape.first {
                values.anchor = 0;
            }
            if let Some(held) = row.get_mut(start + at) {
                *held = (column, cell);
            }
        }
        Ok(())
    }
}

fn small(number: i64) -> Result<u32, DecodeError> {
    u32::try_from(number).map_err(|_| DecodeError("a number is too large"))
}

/// Writes or reads one value of a change.
fn tell<C: Coder>(
    values: &mut Values,
    coder: &mut C,
    place: Place,
    value: Option<Value<'_>>,
) -> Result<Cell, DecodeError> {
    let actual = match value {
        None | Some(Value::Null) => Actual::Cell(Cell::Null),
        Some(Value::Integer(integer)) => Actual::Cell(Cell::Int(integer)),
        Some(Value::Real(real)) => Actual::Cell(Cell::Real(real.to_bits())),
        Some(Value::Id(id)) => Actual::Cell(Cell::Id(id)),
        Some(Value::Text(text)) => {
            values.texts.find_text(text).map_or(Actual::Text(text), |known| Actual::Cell(Cell::Text(known)))
        }
        Some(Value::Blob(blob)) => {
            values.texts.find_blob(blob).map_or(Actual::Blob(blob), |known| Actual::Cell(Cell::Blob(known)))
        }
    };
    values.value(coder, place, actual)
}

/// Whether packing the changes once more gives the same bytes.
fn repacks(changes: &[u8]) -> bool {
    let mut packed = Changes::default();
    for op in Ops::of(changes) {
        match op {
            Ok(op) if op.columns.len() < 256 => packed.push(&op),
            _ => return false,
        }
    }
    packed.bytes() == changes
}
