// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/questions.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

namespace megalith::app {

namespace {

QString questionTr(const char* text)
{
    return QCoreApplication::translate("Questions", text);
}

}  // namespace

Questions::Save Questions::saveChanges(QWidget* parent, const QString& name)
{
    QMessageBox box(QMessageBox::Question, questionTr("Unsaved changes"),
                    questionTr("%1 has changes that are not saved.").arg(name),
                    QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, parent);
    box.setDefaultButton(QMessageBox::Save);
    const int answer = box.exec();
    return answer == QMessageBox::Save ? Save::Save : answer == QMessageBox::Discard ? Save::Discard : Save::Cancel;
}

bool Questions::stopTraining(QWidget* parent)
{
    QMessageBox box(QMessageBox::Question, questionTr("Training"),
                    questionTr("A training is running. Stop it after this step?"), QMessageBox::NoButton, parent);
    QAbstractButton* stop = box.addButton(questionTr("Stop training"), QMessageBox::AcceptRole);
    box.addButton(questionTr("Go on"), QMessageBox::RejectRole);
    box.exec();
    return box.clickedButton() == stop;
}

void Questions::tell(QWidget* parent, const QString& problem)
{
    QMessageBox::warning(parent, QCoreApplication::applicationName(), problem);
}

QString Questions::fileToOpen(QWidget* parent, const QString& folder, const QString& filter)
{
    return QFileDialog::getOpenFileName(parent, QString(), folder, filter);
}

QString Questions::fileToSave(QWidget* parent, const QString& suggested, const QString& filter)
{
    return QFileDialog::getSaveFileName(parent, QString(), suggested, filter);
}

}  // namespace megalith::app
