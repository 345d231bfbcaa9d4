//! Writing of documents to files. A file is written completely or not at all, replaces no other file, and is never
//! written through a symbolic link to a place outside the target folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use peelback_code::{WritableFolder, read_text_file_following_links};

use super::Document;
use super::MAX_DOCUMENT_BYTES;
use super::error::DocumentError;
use super::time::Timestamp;

/// The maximum number of characters in a slug, which is the part of a document's file name that comes from the
/// question.
pub const MAX_SLUG_CHARS: usize = 60;

/// The maximum number of bytes in the slug of a document's file name. File systems allow 255 bytes for a whole file
/// name.
const MAX_SLUG_BYTES: usize = 150;

/// The maximum number of bytes in the name of a repository's folder.
const MAX_NAME_BYTES: usize = 100;

/// The maximum number of document files with the same name that get a distinguishing number. Documents get equal file
/// names if they answer the same question in the same second.
const MAX_CLASHES: u32 = 1000;

/// Converts a question to a slug for a file name: the question's letters and digits of any script in lower case, joined
/// by dashes and truncated after a whole word. A question without letters and digits becomes `question`.
pub fn file_name_slug_of_question(question: &str) -> String {
    let mut out = String::new();
    let question = peelback_secrets::mask_secrets(question);
    for word in question.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let dash = usize::from(!out.is_empty());
        let fits = |text: &str, room: (usize, usize)| text.chars().count() <= room.0 && text.len() <= room.1;
        let room = (
            MAX_SLUG_CHARS.saturating_sub(out.chars().count() + dash),
            MAX_SLUG_BYTES.saturating_sub(out.len() + dash),
        );
        if !fits(word, room) {
            // A text without spaces, as some scripts have, is one long word that must be truncated inside the word.
            if out.is_empty() {
                for c in word.chars() {
                    if out.chars().count() == MAX_SLUG_CHARS || out.len() + c.len_utf8() > MAX_SLUG_BYTES {
                        break;
                    }
                    out.push(c);
                }
            }
            break;
        }
        if dash == 1 {
            out.push('-');
        }
        out.push_str(word);
    }
    if out.is_empty() { "question".to_owned() } else { out }
}

/// The file name of a document: `scope-{slug}-{HHMMSS}.md`.
pub fn document_file_name(question: &str, at: Timestamp) -> String {
    format!("scope-{}-{}.md", file_name_slug_of_question(question), at.hhmmss())
}

/// Converts a repository's name to the name of one folder. The result has no path separators and no leading dots, and
/// is never empty.
pub fn repository_folder_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        let c = if c.is_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
        if out.len() + c.len_utf8() > MAX_NAME_BYTES {
            break;
        }
        out.push(c);
    }
    // Windows removes dots at the end of a file name, and reserves the names of devices such as `con`.
    let out = out.trim_start_matches(['.', '-']).trim_end_matches(['.', '-']);
    let stem = out.split('.').next().unwrap_or(out).to_ascii_lowercase();
    let is_device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul")
        || (stem.len() == 4
            && (stem.starts_with("com") || stem.starts_with("lpt"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    match out {
        "" => "repository".to_owned(),
        device if is_device => format!("_{device}"),
        plain => plain.to_owned(),
    }
}

/// Writes a document below `folder` as `contexts/{repository}/{name}`. If that file exists, a number such as `-2` is
/// added before the extension. Returns the path of the file.
///
/// # Errors
/// [`DocumentError::LeadsOut`] if a symbolic link leads out of `folder`; [`DocumentError::Io`].
pub fn create_document_in_contexts_folder(
    folder: &Path,
    repository: &str,
    name: &str,
    document: &Document,
) -> Result<PathBuf, DocumentError> {
    let io = |path: &Path| {
        let path = path.display().to_string();
        move |error: std::io::Error| DocumentError::Io { path, reason: error.to_string() }
    };
    let root = dunce::canonicalize(folder).map_err(io(folder))?;
    let mut target = root.clone();
    for part in ["contexts", &repository_folder_name(repository)] {
        target.push(part);
        if fs::symlink_metadata(&target).is_err() {
            match fs::create_dir(&target) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(&target)(error)),
                _ => {}
            }
        }
        let real = dunce::canonicalize(&target).map_err(io(&target))?;
        if !real.starts_with(&root) {
            return Err(DocumentError::LeadsOut {
                path: target.display().to_string(),
                below: root.display().to_string(),
            });
        }
        target = real;
    }
    create_document_in_folder(&target, name, document)
}

/// Writes a document into `folder` as `name`. If that file exists, a number such as `-2` is added before the extension.
/// Returns the path of the file.
///
/// # Errors
/// [`DocumentError::NoFolder`] if `folder` does not exist; [`DocumentError::Io`].
pub fn create_document_in_folder(folder: &Path, name: &str, document: &Document) -> Result<PathBuf, DocumentError> {
    create_under_free_name(name, |name| {
        let path = folder.join(name);
        create_document_at_path(&path, document).map(|()| path)
    })
}

/// Gives `create` the name of a file, and, as long as there is a file of that name, the name with another number.
fn create_under_free_name(
    name: &str,
    create: impl Fn(&str) -> Result<PathBuf, DocumentError>,
) -> Result<PathBuf, DocumentError> {
    // The name must be the name of a file directly in the folder, so path separators are replaced.
    let name = name.replace(['/', '\\'], "-");
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, "md"));
    for number in 1..=MAX_CLASHES {
        let name = if number == 1 { format!("{stem}.{extension}") } else { format!("{stem}-{number}.{extension}") };
        match create(&name) {
            Err(DocumentError::Exists(path)) if number == MAX_CLASHES => return Err(DocumentError::Exists(path)),
            Err(DocumentError::Exists(_)) => {}
            done => return done,
        }
    }
    Err(DocumentError::Exists(name))
}

/// Writes a document to a path that the user chose. An existing file or symbolic link at the path is an error.
///
/// # Errors
/// [`DocumentError::Exists`], [`DocumentError::NoFolder`], [`DocumentError::Io`].
pub fn create_document_at_path(path: &Path, document: &Document) -> Result<(), DocumentError> {
    write_document_to_temporary_file(path, document)?.persist_noclobber(path).map(|_| ()).map_err(|error| {
        match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => DocumentError::Exists(path.display().to_string()),
            _ => DocumentError::Io { path: path.display().to_string(), reason: error.error.to_string() },
        }
    })
}

/// Replaces the file of a document by a new version of the document. The replacement is atomic: the file has either the
/// old or the new content. `text_before` is the text from which the new version was made: a file that has another text by
/// now was edited in the meantime, and stays as it is.
///
/// # Errors
/// [`DocumentError::Changed`]; [`DocumentError::Io`], also if the path is not an existing regular file.
pub fn replace_document_file(path: &Path, text_before: &str, document: &Document) -> Result<(), DocumentError> {
    let io = |reason: String| DocumentError::Io { path: path.display().to_string(), reason };
    let before = fs::symlink_metadata(path).map_err(|error| io(error.to_string()))?;
    if !before.is_file() {
        return Err(io("it is not a regular file".to_owned()));
    }
    let file = write_document_to_temporary_file(path, document)?;
    fs::set_permissions(file.path(), before.permissions()).map_err(|error| io(error.to_string()))?;
    // Compared last, so that hardly any time is left for an edit between this and the replacement.
    match read_text_file_following_links(path, MAX_DOCUMENT_BYTES) {
        Ok(text) if text == text_before => {}
        _ => return Err(DocumentError::Changed(path.display().to_string())),
    }
    file.persist(path).map(|_| ()).map_err(|error| io(error.error.to_string()))
}

/// Writes a document to the new file `below` of the folder `root`. With `is_folder`, `below` is the file's folder, and
/// the file gets the name `name`, with a number such as `-2` where it exists. Missing folders are made, one level at a
/// time. No symbolic link below `root` is followed, also if it was put there a moment before. Returns the path of the
/// file.
///
/// # Errors
/// [`DocumentError::Exists`]; [`DocumentError::Io`].
pub fn create_document_beneath_root(
    root: &Path,
    below: &Path,
    name: Option<&str>,
    document: &Document,
) -> Result<PathBuf, DocumentError> {
    let (folder, own_name) = match name {
        Some(_) => (below, None),
        None => split_off_file_name(below)?,
    };
    let opened = open_folder_beneath_root(root, folder)?;
    let text = document.render();
    let create = |name: &str| {
        let path = root.join(folder).join(name);
        opened.create_file(name, text.as_bytes()).map(|()| path.clone()).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => DocumentError::Exists(path.display().to_string()),
            _ => DocumentError::Io { path: path.display().to_string(), reason: error.to_string() },
        })
    };
    match (own_name, name) {
        (Some(name), _) => create(name),
        (None, name) => create_under_free_name(name.unwrap_or_default(), create),
    }
}

/// Replaces the file `below` of the folder `root` as [`replace_document_file`] does. No symbolic link below `root` is
/// followed, also if it was put there a moment before.
///
/// # Errors
/// [`DocumentError::Changed`]; [`DocumentError::Io`], also if there is no regular file.
pub fn replace_document_beneath_root(
    root: &Path,
    below: &Path,
    text_before: &str,
    document: &Document,
) -> Result<(), DocumentError> {
    let path = || root.join(below).display().to_string();
    let (folder, name) = split_off_file_name(below)?;
    let folder = open_folder_beneath_root(root, folder)?;
    let text = document.render();
    let replaced = folder.replace_file(name.unwrap_or_default(), text_before, text.as_bytes(), MAX_DOCUMENT_BYTES);
    match replaced {
        Ok(true) => Ok(()),
        Ok(false) => Err(DocumentError::Changed(path())),
        Err(error) => Err(DocumentError::Io { path: path(), reason: error.to_string() }),
    }
}

fn open_folder_beneath_root(root: &Path, folder: &Path) -> Result<WritableFolder, DocumentError> {
    WritableFolder::open_or_create(root, folder)
        .map_err(|error| DocumentError::Io { path: root.join(folder).display().to_string(), reason: error.to_string() })
}

/// The folder and the name of a file.
fn split_off_file_name(below: &Path) -> Result<(&Path, Option<&str>), DocumentError> {
    let name = below.file_name().and_then(|name| name.to_str());
    match name {
        Some(name) => Ok((below.parent().unwrap_or(Path::new("")), Some(name))),
        None => Err(DocumentError::Io {
            path: below.display().to_string(),
            reason: "it is not the name of a file in UTF-8".to_owned(),
        }),
    }
}

/// Writes the document to a temporary file in the folder that contains `path`.
fn write_document_to_temporary_file(
    path: &Path,
    document: &Document,
) -> Result<tempfile::NamedTempFile, DocumentError> {
    let io = |error: std::io::Error| DocumentError::Io { path: path.display().to_string(), reason: error.to_string() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A missing folder is reported explicitly, because the operating system's error would contain the temporary file's
    // name, which the user does not know.
    if !folder.is_dir() {
        return Err(DocumentError::NoFolder(folder.display().to_string()));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".scope-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // A temporary file gets the permissions of an ordinary new file, which the user's umask restricts.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(|error| match error.kind() {
        std::io::ErrorKind::PermissionDenied => io(std::io::Error::other("no file can be created in that folder")),
        _ => io(error),
    })?;
    file.write_all(document.render().as_bytes()).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    Ok(file)
}
